// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore
internal import Synchronization

/// The board on which the audio thread publishes its status, and others ask it to end; neither waits for the other.
///
///     audio thread                         another thread
///     count += 1 (odd), words, count += 1  read count, words, count: equal and even, or once more
///     peak = max(peak, …)                  take the peak, leave 0
///     look at isToEnd                      set isToEnd
///
/// Each word is released when it is written and acquired when it is read: who reads a word that is being written reads
/// the odd count, or a later one, behind it.
@safe package final class LiveBoard: Sendable {
  package let inputs: Int
  package let outputs: Int
  let cells: LiveBoardCells

  /// - Parameters:
  ///   - inputs: channels that come in.
  ///   - outputs: channels that go out.
  package init(inputs: Int, outputs: Int) {
    (self.inputs, self.outputs) = (inputs, outputs)
    unsafe cells = LiveBoardCells(peaks: inputs + outputs)
  }

  deinit { unsafe cells.deallocate() }

  /// The status that was published last.
  package var status: LiveStatus { unsafe cells.read() }

  /// The first xruns of the session, `Xrun.most` at most.
  package var xruns: [Xrun] { unsafe cells.xruns.read() }

  /// The loudest sample in a channel since it was last asked for; full scale is 1.
  package func takePeak(ofInput channel: Int) -> Float { unsafe cells.takePeak(channel) }
  package func takePeak(ofOutput channel: Int) -> Float { unsafe cells.takePeak(inputs + channel) }

  /// The longest time, in nanoseconds, that a period took since this was last asked for.
  package func takeLongestBusy() -> Int { unsafe cells.longestBusy.pointee.exchange(0, ordering: .relaxed) }

  /// Asks for the end: a fade, and then silence.
  package func end() { unsafe cells.isToEnd.pointee.store(true, ordering: .relaxed) }
}

/// The places of a board, for code that must not count references; whoever keeps them keeps the board, too.
@unsafe struct LiveBoardCells: @unchecked Sendable {
  private let count: UnsafeMutablePointer<Atomic<Int>>
  private let words: UnsafeMutablePointer<Atomic<Int>>
  private let peaks: UnsafeMutablePointer<Atomic<UInt32>>
  private let peakCount: Int
  let longestBusy: UnsafeMutablePointer<Atomic<Int>>
  let isToEnd: UnsafeMutablePointer<Atomic<Bool>>
  let xruns: XrunLog
  /// The status that the audio thread puts together.
  let draft: UnsafeMutablePointer<LiveStatus>

  private static var wordCount: Int {
    @_noLocks get { MemoryLayout<LiveStatus>.size / MemoryLayout<Int>.size }
  }

  init(peaks peakCount: Int) {
    precondition(_isPOD(LiveStatus.self), "a status is nothing but numbers")
    precondition(
      MemoryLayout<LiveStatus>.size.isMultiple(of: MemoryLayout<Int>.size), "a status is made of words")
    unsafe count = .allocate(capacity: 1)
    unsafe words = .allocate(capacity: Self.wordCount)
    unsafe peaks = .allocate(capacity: peakCount)
    unsafe longestBusy = .allocate(capacity: 1)
    unsafe isToEnd = .allocate(capacity: 1)
    unsafe draft = .allocate(capacity: 1)
    unsafe xruns = XrunLog()
    unsafe self.peakCount = peakCount
    unsafe count.initialize(to: Atomic(0))
    for index in 0..<(unsafe Self.wordCount) { unsafe (words + index).initialize(to: Atomic(0)) }
    for index in 0..<peakCount { unsafe (peaks + index).initialize(to: Atomic(0)) }
    unsafe longestBusy.initialize(to: Atomic(0))
    unsafe isToEnd.initialize(to: Atomic(false))
    unsafe draft.initialize(to: LiveStatus(StreamAccount()))
    unsafe publish()
  }

  func deallocate() {
    unsafe count.deallocate()
    unsafe words.deallocate()
    unsafe peaks.deallocate()
    unsafe longestBusy.deallocate()
    unsafe isToEnd.deallocate()
    unsafe draft.deallocate()
    unsafe xruns.deallocate()
  }

  /// Shows the draft to others.
  @_noLocks func publish() {
    let source = unsafe UnsafeRawPointer(draft)
    let before = unsafe count.pointee.load(ordering: .relaxed)
    unsafe count.pointee.store(before + 1, ordering: .relaxed)
    for index in 0..<(unsafe Self.wordCount) {
      let word = unsafe source.load(fromByteOffset: index * MemoryLayout<Int>.size, as: Int.self)
      unsafe words[index].store(word, ordering: .releasing)
    }
    unsafe count.pointee.store(before + 2, ordering: .releasing)
  }

  func read() -> LiveStatus {
    var status = LiveStatus(StreamAccount())
    while true {
      let before = unsafe count.pointee.load(ordering: .acquiring)
      unsafe withUnsafeMutableBytes(of: &status) { bytes in
        for index in 0..<(unsafe Self.wordCount) {
          unsafe bytes.storeBytes(
            of: words[index].load(ordering: .acquiring), toByteOffset: index * MemoryLayout<Int>.size,
            as: Int.self)
        }
      }
      let after = unsafe count.pointee.load(ordering: .relaxed)
      if before == after && before.isMultiple(of: 2) { return status }
    }
  }

  /// Whether somebody asked for the end.
  var asksForEnd: Bool { @_noLocks get { unsafe isToEnd.pointee.load(ordering: .relaxed) } }

  @_noLocks func note(peak: UInt32, ofRow row: Int) {
    // Others only take it away: what is lost between both lines is 0.
    if unsafe peak > peaks[row].load(ordering: .relaxed) { unsafe peaks[row].store(peak, ordering: .relaxed) }
  }

  func takePeak(_ row: Int) -> Float {
    precondition(unsafe row >= 0 && row < peakCount, "a board has no such channel")
    return Float(bitPattern: unsafe peaks[row].exchange(0, ordering: .relaxed))
  }

  @_noLocks func note(busy: Int) {
    if unsafe busy > longestBusy.pointee.load(ordering: .relaxed) {
      unsafe longestBusy.pointee.store(busy, ordering: .relaxed)
    }
  }
}
