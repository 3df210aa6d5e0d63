// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import RealtimeWatch
import TestEquipment

/// A context on a watched thread: through every door that fits, in blocks of many sizes, while parameters change.
///
///     block     0  1  7  64  128  1000
///     door      tables · tables in place · rows a constant distance apart · spans · a span in place
///     then      reset
///
/// What is watched begins with the first block of a fresh context.
@safe final class AudioThread {
  /// Who turns the parameters meanwhile.
  enum Act: CaseIterable { case nobody, thisThread, anotherThread }

  private enum Door: CaseIterable { case tables, tablesInPlace, strided, spans, spanInPlace }

  private static let blocks = [0, 1, 7, 64, 128, 1000]

  private let program: Program
  private let executesStream: Bool
  private let inputs: PortMemory
  private let outputs: PortMemory
  /// Output rows, in the memory of their input rows where they have such.
  private let inPlace: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  private let doors: [Door]
  /// For each parameter in turn, values within its range and a little beyond.
  private let values: [Float]

  init(_ program: Program) {
    self.program = program
    let layout = program.layout
    executesStream = layout.executesStream
    let inputs = PortMemory(layout.inputs, frames: Self.blocks.max()!)
    let outputs = PortMemory(layout.outputs, frames: Self.blocks.max()!)
    unsafe inPlace = .allocate(capacity: outputs.rows.count)
    _ = unsafe inPlace.initialize(from: outputs.rows)
    for (input, output) in zip(inputs.ports, outputs.ports) where input.rowLength == output.rowLength {
      for row in 0..<min(input.rows, output.rows) {
        unsafe inPlace[output.firstRow + row] = inputs.rows[input.firstRow + row]
      }
    }
    (self.inputs, self.outputs) = (inputs, outputs)
    doors = Door.allCases.filter { door in
      switch door {
      case .tables, .tablesInPlace, .strided: true
      case .spans: outputs.ports.count == 1 && inputs.ports.count <= 1
      case .spanInPlace:
        outputs.ports.count == 1 && inputs.ports.count == 1 && inputs.ports[0].rows == outputs.ports[0].rows
          && inputs.ports[0].rowLength == outputs.ports[0].rowLength
      }
    }
    var random = SplitMix(seed: 1)
    values = (0..<16).flatMap { _ in
      layout.parameters.map { random.float(Double($0.minimum) - 0.1, Double($0.maximum) + 0.1) }
    }
  }

  deinit { unsafe inPlace.deallocate() }

  /// The counts of a fresh context in an act.
  func counts(_ act: Act) throws -> RealtimeCounts {
    precondition(Self.isWarm)
    var context = try Context(program)
    let parameters = context.parameters
    inputs.fill()
    guard act == .anotherThread else {
      return RealtimeWatch.counts { play(&context, act == .nobody ? [] : parameters) }
    }
    let turner = Turner(parameters, values, isWatched: true)
    let counts = RealtimeWatch.counts { play(&context, beside: turner) }
    guard let others = turner.stop() else { return counts }
    var both = counts + others
    // The other thread is young, and meets its stack for the first time.
    (both.minorFaults, both.majorFaults) = (counts.minorFaults, counts.majorFaults)
    return both
  }

  /// Whether the process has been through all this before. The first time, functions are looked up in libraries and
  /// types are described, for which the code of these tests is to blame.
  private static let isWarm: Bool = {
    for program in HandMadeProgram.forEveryDoor {
      guard var context = try? Context(program) else { return false }
      let thread = AudioThread(program)
      thread.play(&context, context.parameters)
      let turner = Turner(context.parameters, thread.values, isWatched: false)
      thread.play(&context, beside: turner)
      _ = turner.stop()
    }
    return true
  }()

  // Here and in what these call, a loop over an array, or a copy of the layout, would allocate in debug builds.

  private func play(_ context: inout Context, beside turner: Turner) {
    let before = turner.rounds
    while turner.rounds < before + 20 { play(&context, []) }
  }

  /// Three times every block through every door, and back to the beginning.
  private func play(_ context: inout Context, _ parameters: [Parameter]) {
    for turn in 0..<3 {
      for block in 0..<Self.blocks.count {
        for door in 0..<doors.count {
          for index in 0..<parameters.count {
            let value = values[(turn * 5 + block + door + index) % values.count]
            if turn == 1 {
              context.glide(index, to: value, over: 50)
            } else {
              parameters[index].set(value)
            }
          }
          let frames = Self.blocks[block]
          enter(&context, by: doors[door], executesStream ? frames : min(frames, 1))
        }
      }
      context.reset()
    }
  }

  private func enter(_ context: inout Context, by door: Door, _ frames: Int) {
    switch door {
    case .tables, .tablesInPlace:
      let table = unsafe door == .tables ? outputs.rows : inPlace
      let rows = unsafe UnsafePointer(table.baseAddress)
      let sources = unsafe UnsafePointer(inputs.sources.baseAddress)
      if executesStream {
        unsafe context.execute(frames: frames, inputs: sources, outputs: rows)
      } else {
        unsafe context.execute(inputs: sources, outputs: rows)
      }
    case .strided:
      unsafe context.execute(
        frames: frames, stridedInputs: inputs.stridedSources.baseAddress,
        stridedOutputs: outputs.stridedRows.baseAddress)
    case .spans:
      let results = unsafe outputs.numbers(frames)
      var output = unsafe results.mutableSpan
      if inputs.ports.isEmpty {
        context.execute(frames: frames, output: &output)
      } else {
        let samples = unsafe inputs.numbers(frames)
        unsafe context.execute(frames: frames, input: samples.span, output: &output)
      }
    case .spanInPlace:
      let samples = unsafe inputs.numbers(frames)
      var span = unsafe samples.mutableSpan
      context.execute(frames: frames, inPlace: &span)
    }
    // What runs in place would feed on itself and grow.
    inputs.fill()
  }
}
