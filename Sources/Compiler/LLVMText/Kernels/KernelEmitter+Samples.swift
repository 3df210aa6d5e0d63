// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

extension KernelEmitter {
  /// Writes a sample: the present one where the position is a multiple of 64, else what is held stays.
  func emit(_ sample: SampleKernel) {
    builder.inVectors(of: 1) { emitHeld(sample) }
  }

  private func emitHeld(_ sample: SampleKernel) {
    let position = StagePosition(index: sampledFrame, vectors: 1, mask: nil)
    let held = address(Access(.buffer(sample.held), strides: [], innerStride: 0), [])
    let absolute = builder.define("add i64 \(stretch.position), \(position.index)")
    let phase = builder.define("and i64 \(absolute), \(Op.controlFrames - 1)")
    let isDue = builder.define("icmp eq i64 \(phase), 0")
    let present = source(of: sample)(position)
    let value = builder.define("select i1 \(isDue), float \(present[0]), float \(builder.loadScalar(held))")
    builder.line("store float \(value), ptr \(held), align 4")
  }

  /// The source of a sample, as a function of the position.
  func source(of sample: SampleKernel) -> (StagePosition) -> Lanes {
    if case .parameter(let index) = sample.source.location, varies(index) {
      let (ramp, elapsed) = (ramp(index), elapsedFrames())
      return { self.value(of: ramp, at: self.frameNumbers(behind: elapsed, at: $0)) }
    }
    let address = address(sample.source, [])
    return { self.load(sample.source, address, at: $0) }
  }
}
