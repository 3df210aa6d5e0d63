// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The time-varying numbers of a wavefront, which are computed along the frames, as in a map.
package struct TimeVaryingNumbers: Sendable {
  private let front: Wavefront
  /// The steps that have such a number for at least one loop.
  package let steps: [Int]

  init(of front: Wavefront, in kernels: KernelGraph, _ variant: Variant) {
    self.front = front
    steps = front.steps.indices.filter { step in
      guard case .number(let values) = front.steps[step] else { return false }
      return values.contains { $0.map { kernels.isTimeVarying($0, in: variant) } ?? false }
    }
  }

  /// The value that a loop has in one of the steps; nil where it has none there.
  package func value(of step: Int, in loop: Int) -> ValueID? {
    guard steps.contains(step), case .number(let values) = front.steps[step] else { return nil }
    return values[loop]
  }

  /// The access to a loop's number in memory, frame by frame; nil where it is computed.
  package func row(of step: Int, in loop: Int) -> Access? {
    guard let value = value(of: step, in: loop), let access = front.loops[loop].loads[value],
      case .buffer = access.location
    else { return nil }
    return access
  }

  /// Whether those of one loop that are computed have room on the stack, a tile's frames of each.
  var fitStack: Bool {
    let computed = steps.count { row(of: $0, in: 0) == nil }
    return 4 * Plan.tileFrames * computed <= Plan.mostStackBytes
  }
}
