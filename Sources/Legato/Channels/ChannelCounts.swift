// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import RealtimeCore

/// The numbers of channels that a program reads and writes, over all inputs and outputs of one context.
///
///     2 channels          as many in as out
///     1 channel in, 2 out
///     no input, 1 channel out
package struct ChannelCounts: Hashable, Sendable, CustomStringConvertible {
  package let inputs: Int
  package let outputs: Int

  package init(_ layout: ProgramLayout) {
    inputs = layout.inputs.reduce(0) { $0 + $1.rows }
    outputs = layout.outputs.reduce(0) { $0 + $1.rows }
  }

  package var description: String {
    if inputs == outputs { return counted(inputs, "channel") }
    if inputs == 0 { return "no input, \(counted(outputs, "channel")) out" }
    return "\(counted(inputs, "channel")) in, \(outputs) out"
  }
}
