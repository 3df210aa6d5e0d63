// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

extension KernelEmitter {
  /// Writes a sample: a new one where the position is a multiple of 64, else what is held stays.
  func emit(_ sample: SampleKernel) {
    let width = builder.width
    builder.width = 1
    defer { builder.width = width }
    let position = StagePosition(index: sampledFrame, vectors: 1, mask: nil)
    let held = address(Access(.buffer(sample.held), strides: [], innerStride: 0), [])
    let absolute = builder.define("add i64 \(stretch.position), \(position.index)")
    let phase = builder.define("and i64 \(absolute), \(Plan.controlFrames - 1)")
    let isDue = builder.define("icmp eq i64 \(phase), 0")
    let present: Lanes
    if case .parameter(let index) = sample.source.location, moves(index) {
      present = self.value(of: ramp(index), at: frameNumbers(behind: elapsedFrames(), at: position))
    } else {
      present = load(sample.source, address(sample.source, []), at: position)
    }
    let value = builder.define("select i1 \(isDue), float \(present[0]), float \(builder.loadScalar(held))")
    builder.line("store float \(value), ptr \(held), align 4")
  }
}
