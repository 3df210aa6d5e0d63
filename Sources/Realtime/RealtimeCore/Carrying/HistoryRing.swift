// SPDX-License-Identifier: Apache-2.0

internal import CRealtime

/// One history in a context's workspace, and how far it has been filled from another context's.
///
/// Its arithmetic is that of `ProgramLayout.History`. It points into memory that the context has.
@unsafe struct HistoryRing {
  let key: CarryKey
  let rows: Int
  let capacity: Int
  /// How far back the program looks.
  let length: Int
  /// The frames before the position that are whole.
  let reach: Int
  /// The number that is remembered of every frame, where it is the same for ever.
  let constant: Float?
  /// The frame with which the stream begins, that of the silence before the first one.
  let beginning: Int64
  private let memory: UnsafeMutablePointer<Float>
  /// Samples from one row to the next.
  private let pitch: Int
  /// Samples from one frame to the next.
  private let framePitch: Int
  private let repeated: Int
  private let movesOn: Bool
  /// The frame in slot 0, or one that would be so many whole rings before or behind it.
  private var origin: Int64 = 0

  /// The index in the other context's table of the ring that fills this one; -1 for a past that begins with silence.
  var source = -1
  /// The first frame that was copied, or nil where copying has not begun.
  var first: Int64?
  /// The frame that is copied next.
  var cursor: Int64 = 0
  /// The slots that have been settled.
  private(set) var settled = 0

  init(_ history: ProgramLayout.History, of layout: ProgramLayout, in workspace: UnsafeMutableRawPointer) {
    unsafe key = CarryKey(history.name, rows: history.rows)
    unsafe rows = history.rows
    unsafe capacity = history.capacity
    unsafe length = history.length
    unsafe reach = history.reach
    unsafe constant = history.constant
    unsafe beginning = -Int64(layout.prewarm)
    unsafe repeated = history.repeated
    unsafe movesOn = history.movesOn
    unsafe pitch = history.pitch / MemoryLayout<Float>.stride
    unsafe framePitch = history.framePitch / MemoryLayout<Float>.stride
    let slots = history.capacity + history.repeated
    unsafe memory = (workspace + history.offset).bindMemory(
      to: Float.self, capacity: (history.rows - 1) * pitch + (slots - 1) * framePitch + 1)
  }

  /// Bytes that one frame of all rows has.
  var frameBytes: Int { @_noLocks get { unsafe rows * MemoryLayout<Float>.stride } }

  /// Whether what is remembered for more than so many frames can have been something else.
  @_noLocks func canRise(longerThan frames: Int) -> Bool { unsafe length > frames && constant == nil }

  /// The frames before a position that the program looks back on, the oldest first, the numbers of each side by side.
  func past(before now: Int64) -> [Float] {
    unsafe (now - Int64(length)..<now).flatMap { frame in
      unsafe (0..<rows).map { row in unsafe sample(row, frame).pointee }
    }
  }

  /// Writes the frames before a position that the program looks back on, as `past` reads them.
  func setPast(before now: Int64, to numbers: [Float]) {
    unsafe precondition(numbers.count == length * rows, "the past of so many frames has other numbers")
    for (index, number) in numbers.enumerated() {
      unsafe put(number, index % rows, now - Int64(length) + Int64(index / rows))
    }
  }

  /// The ring of a context that has come to a frame.
  @_noLocks func found(at now: Int64) -> HistoryRing {
    var ring = unsafe self
    if unsafe movesOn { unsafe ring.origin = now }
    return unsafe ring
  }

  /// Moves frames on, as the program would have on its way to a frame; silence follows them.
  @_noLocks mutating func move(to now: Int64) {
    guard unsafe movesOn && origin != now else { return }
    let distance = unsafe Int(min(now - origin, Int64(capacity)))
    for row in 0..<(unsafe rows) {
      let first = unsafe memory + row * pitch
      for slot in 0..<(unsafe capacity) {
        unsafe first[slot] = slot + distance < capacity ? first[slot + distance] : 0
      }
    }
    unsafe origin = now
  }

  /// Lets every slot be what the frame before the first one is, or silence: elsewhere in the stream, frames of a program
  /// that has warmed up would stand in the wrong order.
  ///
  /// - Returns: true where all slots are.
  @_noLocks mutating func settle(_ count: Int, silent: Bool) -> Bool {
    // The last slot holds that frame, and comes last.
    let (begin, end) = unsafe (settled, min(capacity, settled + count))
    for row in 0..<(unsafe rows) {
      let value = unsafe silent ? 0 : sample(row, -1).pointee
      unsafe fill(row, begin..<end, with: value)
    }
    unsafe settled = end
    return unsafe end == capacity
  }

  /// Writes slots that lie side by side, and their repetitions, without a look at each.
  @_noLocks private func fill(_ row: Int, _ slots: Range<Int>, with value: Float) {
    unsafe write(row, slots, value)
    guard unsafe slots.lowerBound < repeated else { return }
    unsafe write(row, slots.lowerBound + capacity..<min(slots.upperBound, repeated) + capacity, value)
  }

  @_noLocks private func write(_ row: Int, _ slots: Range<Int>, _ value: Float) {
    let first = unsafe memory + row * pitch
    if unsafe framePitch == 1 {
      for slot in slots { unsafe first[slot] = value }
    } else {
      for slot in slots { unsafe first[slot * framePitch] = value }
    }
  }

  /// Finds where copying begins, or begins anew where the other ring has lost what comes next: what was copied would
  /// have a gap behind it, and be heard.
  @_noLocks mutating func begin(from other: HistoryRing, at now: Int64) {
    let shared = unsafe min(reach, other.reach)
    if let first = unsafe first {
      guard unsafe now - cursor > Int64(shared) else { return }
      guard unsafe length > shared else {
        // Nobody looks back as far as what was copied.
        unsafe cursor = now - Int64(shared)
        return
      }
      unsafe silence(from: first, to: cursor)
    }
    unsafe cursor = max(now - Int64(shared), other.beginning)
    unsafe first = cursor
  }

  /// Finds where what is remembered for ever is written next.
  @_noLocks mutating func begin(at now: Int64) {
    unsafe cursor = max(first == nil ? beginning : cursor, now - Int64(capacity))
    unsafe first = first ?? cursor
  }

  /// Writes what is remembered of every frame.
  @_noLocks func fill(from first: Int64, to end: Int64, with constant: Float) {
    var frame = first
    while frame < end {
      let slot = unsafe slot(of: frame)
      let count = unsafe min(Int(end - frame), capacity - slot)
      for row in 0..<(unsafe rows) { unsafe fill(row, slot..<slot + count, with: constant) }
      frame += Int64(count)
    }
  }

  @_noLocks private func silence(from beginning: Int64, to end: Int64) {
    for row in 0..<(unsafe rows) {
      var frame = beginning
      while frame < end {
        unsafe put(0, row, frame)
        frame += 1
      }
    }
  }

  /// Copies frames of another ring with as many rows; what is not finite there is silence here, so that an unstable
  /// loop that was mended sounds again.
  @_noLocks func copy(from beginning: Int64, to end: Int64, of other: HistoryRing) {
    var frame = beginning
    while frame < end {
      let (to, from) = unsafe (slot(of: frame), other.slot(of: frame))
      let whole = unsafe min(capacity - to, other.capacity - from)
      let count = min(Int(end - frame), whole)
      let again = min(count, unsafe repeated - to)
      for row in 0..<(unsafe rows) {
        let source = unsafe other.memory + row * other.pitch + from * other.framePitch
        let target = unsafe memory + row * pitch + to * framePitch
        for index in 0..<count {
          unsafe target[index * framePitch] = Self.finite(source[index * other.framePitch])
        }
        if again > 0 { unsafe legato_copy(target + capacity, target, again * MemoryLayout<Float>.stride) }
      }
      frame += Int64(count)
    }
  }

  /// Lets frames rise from what another ring has in their place, or from silence, or from what the frame before
  /// `beginning` is: of the frame k behind it the share (k + 1) / (length + 1) is its own.
  @_noLocks func rise(
    from first: Int64, to last: Int64, since beginning: Int64, over length: Int, settled: Bool = false
  ) {
    // In a short ring the frame that all rise from is soon written over.
    let length = unsafe settled ? min(length, capacity / 2) : length
    let end = min(last, beginning + Int64(length))
    var frame = first
    while frame < end {
      let share = Float(frame - beginning + 1) / Float(length + 1)
      for row in 0..<(unsafe rows) {
        let before = unsafe settled ? sample(row, beginning - 1).pointee : 0
        unsafe put(before + (sample(row, frame).pointee - before) * share, row, frame)
      }
      frame += 1
    }
  }

  @_noLocks func rise(
    from first: Int64, to last: Int64, of other: HistoryRing, since beginning: Int64, over length: Int
  ) {
    let end = min(last, beginning + Int64(length))
    var frame = first
    while frame < end {
      let share = Float(frame - beginning + 1) / Float(length + 1)
      for row in 0..<(unsafe rows) {
        let old = unsafe Self.finite(other.sample(row, frame).pointee)
        let own = unsafe sample(row, frame).pointee
        if old != own { unsafe put(old + (own - old) * share, row, frame) }
      }
      frame += 1
    }
  }

  @_noLocks private static func finite(_ sample: Float) -> Float { sample - sample == 0 ? sample : 0 }

  @_noLocks private func sample(_ row: Int, _ frame: Int64) -> UnsafeMutablePointer<Float> {
    unsafe memory + row * pitch + slot(of: frame) * framePitch
  }

  /// Writes a sample, and its repetition.
  @_noLocks private func put(_ value: Float, _ row: Int, _ frame: Int64) {
    let place = unsafe sample(row, frame)
    unsafe place.pointee = value
    if unsafe slot(of: frame) < repeated { unsafe place[capacity] = value }
  }

  @_noLocks private func slot(of frame: Int64) -> Int {
    let rest = unsafe Int((frame - origin) % Int64(capacity))
    return unsafe rest < 0 ? rest + capacity : rest
  }
}
