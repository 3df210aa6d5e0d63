// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The time-varying numbers of one loop, one after the other in memory, from where each goes into all lanes.
///
///     in a row of the workspace      where they stand
///     -k, 2 * g                      along the frames into the stack
struct SpreadNumbers {
  private let builder: FunctionBuilder
  /// The address of the number of the stretch's first frame, for each step.
  private var places: [Int: String] = [:]

  init(_ schedule: TiledLoopSchedule, _ emitter: KernelEmitter) {
    let numbers = schedule.numbers
    let builder = emitter.builder
    self.builder = builder
    var computed: [(step: Int, place: String)] = []
    for step in numbers.steps {
      if let row = numbers.row(of: step, in: 0) {
        places[step] = emitter.address(row, [])
      } else {
        let place = builder.reserve(floats: Plan.tileFrames)
        places[step] = place
        computed.append((step, place))
      }
    }
    guard !computed.isEmpty else { return }
    builder.loop(to: emitter.stretch.count, step: builder.width) { frame, _ in
      emitter.within(emitter.stretch(from: frame, count: String(builder.width))) {
        for (step, place) in computed {
          guard let lanes = emitter.alongFrames(numbers, of: step, in: schedule.front.loops[0], 0) else {
            continue
          }
          builder.store(lanes, place, at: StagePosition(index: frame, vectors: 1, mask: nil))
        }
      }
      return []
    }
  }

  /// The numbers of a frame, each in all lanes.
  func columns(of frame: String) -> [Int: Lanes] {
    var columns: [Int: Lanes] = [:]
    for (step, place) in places.sorted(by: { $0.key < $1.key }) {
      columns[step] = builder.broadcast(builder.loadScalar(builder.address(place, floats: frame)))
    }
    return columns
  }
}
