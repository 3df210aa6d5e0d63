// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Some rows of a wavefront: what is found out before its first moment, and what is done in each.
struct WavefrontRound {
  /// The values carried from moment to moment: the loops' states, the latest first, then the streams handed
  /// on, the oldest first.
  let begun: [Lanes]

  let front: Wavefront
  let rows: [[String]]
  let emitter: KernelEmitter
  private let axis: Int?
  private let numbers: [Int: Lanes]
  /// The addresses of streams' rows in memory, for each step and each loop.
  let sources: [Int: [Int: [String]]]
  let targets: [[String]]
  /// How many frames each lane is behind the first one, and how many frames there are.
  private let behind: Lanes
  private let count: Lanes
  private let lastFrame: String
  var builder: FunctionBuilder { emitter.builder }

  /// - Parameter isRead: Whether what a loop has in a step is read in another way.
  init(
    _ emitter: KernelEmitter, _ front: Wavefront, rows: [[String]],
    besides isRead: (_ step: Int, _ loop: Int) -> Bool = { _, _ in false }
  ) {
    (self.emitter, self.front, self.rows) = (emitter, front, rows)
    axis = front.loops[0].space.extents.indices.last
    let (builder, axis) = (emitter.builder, axis)
    var numbers: [Int: Lanes] = [:]
    var sources: [Int: [Int: [String]]] = [:]
    for (index, step) in front.steps.enumerated() {
      switch step {
      case .number(let values):
        guard !values.indices.contains(where: { isRead(index, $0) }) else { continue }
        numbers[index] = Self.numbers(values, emitter, front, rows)
      case .stream(let values):
        for (loop, value) in values.enumerated() {
          guard let value, !isRead(index, loop), !front.isHanded(value, in: loop, of: index),
            let access = front.loops[loop].loads[value]
          else { continue }
          sources[index, default: [:]][loop] = emitter.addresses(access, rows, along: axis)
        }
      case .remembered, .computed, .blend: break
      }
    }
    (self.numbers, self.sources) = (numbers, sources)
    targets = front.stores.map { emitter.addresses($0.access, rows, along: axis) }
    let offsets = (0..<builder.width).map { "i32 \($0 / rows.count * front.lag)" }
    behind = Lanes(names: ["<\(offsets.joined(separator: ", "))>"], element: .i32, width: builder.width)
    let frames = emitter.stretch.count
    count = builder.broadcast(builder.define("trunc i64 \(frames) to i32"), .i32)
    lastFrame = builder.define("sub i64 \(frames), 1")
    builder.declare("declare i64 @llvm.umin.i64(i64, i64)")
    let remembered = front.memories.flatMap { memory in
      (1...memory.depth).map { back in
        let places = memory.accesses.flatMap { emitter.addresses($0.remembering(back), rows, along: axis) }
        return builder.gathered(places.map { builder.loadScalar($0) })
      }
    }
    let nothing = Lanes(names: ["zeroinitializer"], element: .float, width: builder.width)
    begun = remembered + [Lanes](repeating: nothing, count: front.handed.count * front.lag)
  }

  /// A number for each loop, in the lanes of its rows.
  private static func numbers(
    _ values: [ValueID?], _ emitter: KernelEmitter, _ front: Wavefront, _ rows: [[String]]
  ) -> Lanes {
    let (builder, graph) = (emitter.builder, emitter.graph)
    let literals = values.compactMap(\.self).map { value -> Float? in
      if case .literal(let number) = graph.definition(of: value).op { number } else { nil }
    }
    if let first = literals[0], literals.allSatisfy({ $0?.bitPattern == first.bitPattern }) {
      return builder.constant(first)
    }
    func number(_ value: ValueID, _ loop: Int, _ row: [String]) -> String {
      if case .literal(let number) = graph.definition(of: value).op { return FunctionBuilder.literal(number) }
      if let place = emitter.plan.kernelGraph.settledValues[value] {
        return builder.loadScalar(emitter.address(Access(.buffer(place), strides: [], innerStride: 0), []))
      }
      guard let access = front.loops[loop].loads[value] else {
        preconditionFailure("a loop uses a number that it neither loads nor computes")
      }
      return builder.loadScalar(emitter.address(access, row))
    }
    let areSame = values.enumerated().allSatisfy { loop, value in
      guard let value, emitter.plan.kernelGraph.settledValues[value] == nil else { return true }
      return front.loops[loop].loads[value]?.strides.allSatisfy { $0 == 0 } ?? true
    }
    let scalars = values.enumerated().flatMap { loop, value -> [String?] in
      guard let value else { return rows.map { _ in nil } }
      guard areSame else { return rows.map { number(value, loop, $0) } }
      return [number(value, loop, rows[0])] + rows.dropFirst().map { _ in nil }
    }
    let all = builder.gathered(scalars)
    guard areSame, rows.count > 1 else { return all }
    let lanes = (0..<builder.width).map { min($0, scalars.count - 1) / rows.count * rows.count }
    return builder.shuffled(all, all, lanes)
  }

  // MARK: Moments

  /// Emits a moment and returns the values carried to the next one.
  ///
  /// - Parameters:
  ///   - time: The frame that the first loop is at, or would be.
  ///   - frame: The frame that the last loop is at, where it is at one.
  ///   - isWhole: Whether all loops are at one of the frames.
  ///   - columns: What was read in another way, for each step.
  func moment(
    _ carried: [Lanes], at time: String, writing frame: String? = nil, isWhole: Bool = false,
    columns: [Int: Lanes] = [:]
  ) -> [Lanes] {
    let isThere = isWhole ? nil : lanesWithin(at: time)
    let values = values(carried, at: time, isWhole: isWhole, columns: columns)
    if let frame {
      for (store, places) in zip(front.stores, targets) {
        let written = places.enumerated().map { row, place in
          (number: result(values[store.step], row), address: builder.address(place, floats: frame))
        }
        for (number, address) in written { builder.line("store float \(number), ptr \(address), align 4") }
        emitter.repeating(store.access) { distance in
          for (number, address) in written {
            builder.line("store float \(number), ptr \(builder.address(address, floats: distance)), align 4")
          }
        }
      }
    }
    return carry(carried, values, where: isThere)
  }

  /// All values of a moment.
  ///
  /// - Parameter columns: What was read in another way, for each step.
  func values(_ carried: [Lanes], at time: String, isWhole: Bool = false, columns: [Int: Lanes] = [:])
    -> [Lanes]
  {
    var frames: [Int: String] = [:]
    return compute(carried) { step, handed in
      stream(step, handed, at: time, isWhole: isWhole, beside: columns[step], &frames)
    }
  }

  /// The last loop's number in a row.
  func result(_ value: Lanes, _ row: Int) -> String {
    builder.extracted(value, (front.loops.count - 1) * rows.count + row)
  }

  /// The values carried to the next moment; lanes that are not within keep their state.
  func carry(_ carried: [Lanes], _ values: [Lanes], where isThere: Lanes? = nil) -> [Lanes] {
    var next: [Lanes] = []
    for memory in front.memories {
      let old = carried[next.count..<next.count + memory.depth]
      let present = [values[memory.next]] + old.dropLast()
      next += isThere.map { isThere in zip(present, old).map { builder.select(isThere, $0, $1) } } ?? present
    }
    for (_, step) in front.handed.sorted(by: { $0.key < $1.key }) {
      next += carried[next.count + 1..<next.count + front.lag] + [values[step]]
    }
    return next
  }

  /// The lanes whose loop is at one of the frames.
  func lanesWithin(at time: String) -> Lanes {
    let now = builder.broadcast(builder.define("trunc i64 \(time) to i32"), .i32)
    return builder.compare("ult", builder.binary("sub", now, behind), count)
  }

  /// All values of a moment.
  ///
  /// - Parameter stream: Gives a step's stream, or a time-varying number, with what the loops have handed on.
  func compute(_ carried: [Lanes], stream: (_ step: Int, _ handed: Lanes?) -> Lanes) -> [Lanes] {
    var firstOfMemory: [Int] = []
    var place = 0
    for memory in front.memories {
      firstOfMemory.append(place)
      place += memory.depth
    }
    var oldest: [Int: Lanes] = [:]
    for stream in front.handed.keys.sorted() {
      oldest[stream] = carried[place]
      place += front.lag
    }
    var values: [Lanes] = []
    for (index, step) in front.steps.enumerated() {
      switch step {
      case .number: values.append(numbers[index] ?? stream(index, nil))
      case .stream: values.append(stream(index, oldest[index]))
      case .remembered(let memory, let back): values.append(carried[firstOfMemory[memory] + back - 1])
      case .computed(let op, let operands): values.append(builder.apply(op, operands.map { values[$0] }))
      case .blend(let first, let a, let b):
        let bits = (0..<builder.width).map { lane in
          let loop = lane / rows.count
          return "i1 \(loop < first.count && first[loop])"
        }
        let mask = Lanes(names: ["<\(bits.joined(separator: ", "))>"], element: .i1, width: builder.width)
        values.append(builder.select(mask, values[a], values[b]))
      }
    }
    return values
  }

  /// A stream: what the loops have handed on, each to the next one, and beside it what is read from memory.
  ///
  /// - Parameter column: What was read in another way.
  private func stream(
    _ step: Int, _ handed: Lanes?, at time: String, isWhole: Bool, beside column: Lanes?,
    _ frames: inout [Int: String]
  ) -> Lanes {
    var samples = [String?](repeating: nil, count: front.loops.count * rows.count)
    for (loop, places) in (sources[step] ?? [:]).sorted(by: { $0.key < $1.key }) {
      // A loop that is not at one of the frames reads one that is there.
      let frame =
        frames[loop]
        ?? {
          let own = emitter.add(time, -loop * front.lag)
          return isWhole ? own : builder.define("call i64 @llvm.umin.i64(i64 \(own), i64 \(lastFrame))")
        }()
      frames[loop] = frame
      for (row, place) in places.enumerated() {
        samples[loop * rows.count + row] = builder.loadScalar(builder.address(place, floats: frame))
      }
    }
    let read = builder.gathered(samples, into: column)
    guard let handed else { return read }
    let width = builder.width
    return builder.shuffled(
      handed, read,
      (0..<width).map { lane in
        lane < rows.count || !isHanded(step, in: lane / rows.count) ? width + lane : lane - rows.count
      })
  }

  /// Whether a loop gets a step's stream from the one before it.
  private func isHanded(_ step: Int, in loop: Int) -> Bool {
    guard case .stream(let values) = front.steps[step], loop < values.count else { return true }
    return values[loop].map { front.isHanded($0, in: loop, of: step) } ?? true
  }

  /// Writes what the loops remember where they are found again.
  func remember(_ carried: [Lanes]) {
    emitter.atEndOfStretch {
      var place = 0
      for memory in front.memories {
        for back in 1...memory.depth {
          let places = memory.accesses.flatMap { emitter.addresses($0.remembering(back), rows, along: axis) }
          for (lane, address) in places.enumerated() {
            builder.line("store float \(builder.extracted(carried[place], lane)), ptr \(address), align 4")
          }
          place += 1
        }
      }
    }
  }
}
