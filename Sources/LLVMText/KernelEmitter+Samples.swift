// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

extension KernelEmitter {
  /// Writes what carries a number from frame to frame.
  func emit(_ sample: SampleKernel) {
    if let result = sample.result { emitPhase(sample, result) } else { emitHeld(sample) }
  }

  /// Writes a sample: a new one where the position is a multiple of 64, else what is held stays.
  private func emitHeld(_ sample: SampleKernel) {
    let width = builder.width
    builder.width = 1
    defer { builder.width = width }
    let position = StagePosition(index: sampledFrame, vectors: 1, mask: nil)
    let held = address(Access(.buffer(sample.held), strides: [], innerStride: 0), [])
    let absolute = builder.define("add i64 \(stretch.position), \(position.index)")
    let phase = builder.define("and i64 \(absolute), \(Plan.controlFrames - 1)")
    let isDue = builder.define("icmp eq i64 \(phase), 0")
    let present = source(of: sample, at: position)
    let value = builder.define("select i1 \(isDue), float \(present[0]), float \(builder.loadScalar(held))")
    builder.line("store float \(value), ptr \(held), align 4")
  }

  private func source(of sample: SampleKernel, at position: StagePosition) -> Lanes {
    if case .parameter(let index) = sample.source.location, moves(index) {
      return value(of: ramp(index), at: frameNumbers(behind: elapsedFrames(), at: position))
    }
    return load(sample.source, address(sample.source, []), at: position)
  }

  /// Writes a phasor: each frame's phase, and what the frame adds to it. See `Phase`.
  private func emitPhase(_ sample: SampleKernel, _ result: Access) {
    let width = builder.width
    builder.width = 1
    defer { builder.width = width }
    let held = address(Access(.buffer(sample.held), strides: [], innerStride: 0), [])
    let target = address(result, [])
    let limit = Phase.limit(sampleRate: graph.sampleRate)
    let scale = builder.constant(Phase.scale(sampleRate: graph.sampleRate))
    func advance(_ phase: Lanes, _ index: String) -> Lanes {
      let position = StagePosition(index: index, vectors: 1, mask: nil)
      let upper = builder.binary("lshr", phase, builder.constant(int32: 8))
      let shown = builder.multiply(builder.convert("uitofp", upper, to: .float), builder.constant(0x1p-24))
      store(shown, result, target, at: position)
      let frequency = source(of: sample, at: position)
      let known = builder.select(
        builder.compare("uno", frequency, frequency), builder.constant(0), frequency)
      let kept = builder.larger(
        builder.smaller(known, builder.constant(limit)), builder.constant(-limit))
      let step = builder.convert("fptosi", builder.multiply(kept, scale), to: .i64)
      return builder.binary("add", phase, builder.convert("trunc", step, to: .i32))
    }
    let first = Lanes(names: [builder.define("load i32, ptr \(held), align 4")], element: .i32, width: 1)
    let last: Lanes
    if isWithinCycle {
      last = advance(first, sampledFrame)
    } else {
      last =
        builder.loop(to: stretch.count, carrying: [first]) { index, carried in
          [advance(carried[0], index)]
        }[0]
    }
    builder.line("store i32 \(last[0]), ptr \(held), align 4")
  }
}
