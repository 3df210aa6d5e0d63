// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ReferenceInterpreter

/// Runs the text form of a graph from its start.
func interpret(
  _ text: String, inputs: [[Float]], frames: Int, events: [ParameterEvent] = [], rounding: Bool = false
) throws -> ReferenceInterpreter.Result {
  let graph = try Graph(parsing: text)
  precondition(Verifier.violations(in: graph).isEmpty, "\(Verifier.violations(in: graph))")
  return ReferenceInterpreter(graph).run(
    inputs: inputs, frames: frames, events: events, rounding: rounding)
}

/// One expression of a, b and c, for one frame.
func estimate(_ expression: String, a: Float = 0, b: Float = 0, c: Float = 0) throws -> Estimate {
  let text = """
    graph "one" stream 48000
    input a [frames]
    input b [frames]
    input c [frames]
    y = \(expression)
    output y = y
    """
  return try interpret(text, inputs: [[a], [b], [c]], frames: 1).outputs[0][0]
}

/// The numbers of a row that native code has no choice about.
func certain(_ row: [Estimate]) -> [Float] {
  row.map { $0.isCertain || $0.low == $0.high ? Float($0.value) : .nan }
}
