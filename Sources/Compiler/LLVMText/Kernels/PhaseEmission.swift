// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes a phasor: each frame's phase, and what the frames add to it. See `Phase`.
///
///     steps                  5   5   7   7
///     + those a lane before  5  10  12  14
///     + those two before     5  10  17  24       what the vector's frames have added up to
///     phases                10  15  20  27       10 to begin with, without each frame's own step
///
/// Legal because whole numbers add up to the same in any order. While the frequency is constant nothing is
/// added up: a phase is the first one and as many steps as there are frames before it. In a cycle that goes
/// frame by frame it is one frame at a time.
struct PhaseEmission {
  private let emitter: KernelEmitter
  private let sample: SampleKernel
  private let result: Access
  private let way: PhaseWay
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ sample: SampleKernel, _ result: Access, _ way: PhaseWay) {
    self.emitter = emitter
    self.sample = sample
    self.result = result
    self.way = way
  }

  func emit() {
    let held = emitter.address(Access(.buffer(sample.held), strides: [], innerStride: 0), [])
    let first = builder.define("load i32, ptr \(held), align 4")
    let last =
      switch way {
      case .frameByFrame: inFrame(from: first)
      case .multiplied(let stages): multiplied(from: first, stages)
      case .added: added(from: first)
      }
    builder.line("store i32 \(last), ptr \(held), align 4")
  }

  // MARK: The phase behind all frames

  private func inFrame(from first: String) -> String {
    let width = builder.width
    builder.width = 1
    defer { builder.width = width }
    let (frequency, target) = (emitter.source(of: sample), emitter.address(result, []))
    let position = StagePosition(index: emitter.sampledFrame, vectors: 1, mask: nil)
    return advance(builder.broadcast(first, .i32), frequency, target, at: position)[0]
  }

  private func added(from first: String) -> String {
    let (frequency, target) = (emitter.source(of: sample), emitter.address(result, []))
    let begun = builder.broadcast(first, .i32)
    let ended = builder.vectors(count: emitter.stretch.count, carrying: [begun]) { position, phases in
      [advance(phases[0], frequency, target, at: position)]
    }
    return builder.extracted(ended[0], 0)
  }

  private func multiplied(from first: String, _ stages: Stages) -> String {
    let target = emitter.address(result, [])
    let width = builder.width
    builder.width = 1
    let step = step(of: emitter.source(of: sample)(StagePosition(index: "0", vectors: 1, mask: nil)))[0]
    builder.width = width
    let (begun, steps) = (builder.broadcast(first, .i32), builder.broadcast(step, .i32))
    emitter.inner(Space(extents: [], inner: .frames), stages) { position in
      let index = builder.define("trunc i64 \(position.index) to i32")
      let before = builder.consecutive(from: index, vectors: position.vectors)
      show(builder.binary("add", begun, builder.binary("mul", before, steps)), target, at: position)
    }
    let count = builder.define("trunc i64 \(emitter.stretch.count) to i32")
    return builder.define("add i32 \(first), \(builder.define("mul i32 \(step), \(count)"))")
  }

  // MARK: One vector

  /// Writes the phases of one vector behind a phase, in all lanes; the phase behind them, in all lanes as well.
  private func advance(
    _ phase: Lanes, _ frequency: (StagePosition) -> Lanes, _ target: String, at position: StagePosition
  ) -> Lanes {
    var steps = step(of: frequency(position))
    if let mask = position.mask {
      let exists = Lanes(names: [mask], element: .i1, width: builder.width)
      steps = builder.select(exists, steps, builder.constant(int32: 0))
    }
    let sums = builder.sums(steps)
    show(builder.binary("add", phase, builder.binary("sub", sums, steps)), target, at: position)
    return builder.binary("add", phase, builder.lastLane(sums))
  }

  /// The phase increment that a frequency gives in one frame.
  ///
  /// The magnitude is converted without its sign: half a turn is more than a signed number holds.
  private func step(of frequency: Lanes) -> Lanes {
    let limit = Phase.limit(sampleRate: emitter.graph.sampleRate)
    let scale = builder.constant(Phase.scale(sampleRate: emitter.graph.sampleRate))
    let isNumber = emitter.graph.isNumber(emitter.graph[sample.node].operands[0])
    let known =
      isNumber
      ? frequency
      : builder.select(builder.compare("uno", frequency, frequency), builder.constant(0), frequency)
    let kept = builder.larger(
      builder.smaller(known, builder.constant(limit)), builder.constant(-limit))
    let size = builder.convert("fptoui", builder.absolute(builder.multiply(kept, scale)), to: .i32)
    let isBack = builder.compare("olt", kept, builder.constant(0))
    return builder.select(isBack, builder.binary("sub", builder.constant(int32: 0), size), size)
  }

  private func show(_ phases: Lanes, _ target: String, at position: StagePosition) {
    let upper = builder.binary("lshr", phases, builder.constant(int32: 8))
    let shown = builder.multiply(builder.convert("sitofp", upper, to: .float), builder.constant(0x1p-24))
    emitter.store(shown, result, target, at: position)
  }
}
