// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The moving numbers of one loop, one after the other in memory, from where each goes into all lanes.
///
///     in a row of the workspace      where they stand
///     -k, 2 * g                      along the frames into the stack
struct SpreadNumbers {
  private let builder: FunctionBuilder
  /// Where the number of the stretch's first frame is, for each step.
  private var places: [Int: String] = [:]

  /// Whether the stack has room for those that are computed.
  static func fit(_ numbers: MovingNumbers) -> Bool {
    let computed = numbers.steps.count { numbers.row(of: $0, in: 0) == nil }
    return 4 * Plan.tileFrames * computed <= FunctionBuilder.mostReservedBytes
  }

  init(_ numbers: MovingNumbers, _ emitter: KernelEmitter) {
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
      emitter.within(emitter.stretch(from: frame, most: builder.width)) {
        for (step, place) in computed {
          guard let lanes = numbers.alongFrames(of: 0, step) else { continue }
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
