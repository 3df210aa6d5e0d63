// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Synchronization

/// What came of each of very many files, by their positions: what was measured lies in a file without a name.
///
///     file      0: 96000 frames, peak 0.9 …   1: nothing yet   2: …
///     memory    7: "in/h.wav: the file is empty"
///
/// Failures stay in memory, as the run says them in the end; so does what the file has no room for. Threads note
/// different files at the same time.
final class OutcomeTable: Sendable {
  /// Nil where there is no place for one.
  private let measures: ScratchFile?
  private let others = Mutex<[Int: FileReport.Outcome]>([:])

  init(measures: ScratchFile? = ScratchFile()) { self.measures = measures }

  func note(_ item: Int, _ outcome: FileReport.Outcome) {
    if case .rendered(let measured) = outcome, let measures {
      let place = item * MemoryLayout<FileReport.Measures>.stride
      if unsafe withUnsafeBytes(of: measured, { unsafe measures.write($0, at: place) }) { return }
    }
    others.withLock { $0[item] = outcome }
  }

  /// What came of a file; nil where nobody came to it. Throws where what was noted cannot be read.
  func outcome(of item: Int) throws(AudioFileError) -> FileReport.Outcome? {
    if let other = others.withLock({ $0[item] }) { return other }
    let size = MemoryLayout<FileReport.Measures>.size
    guard let measures else { return nil }
    let bytes = try measures.read(size, at: item * MemoryLayout<FileReport.Measures>.stride)
    guard bytes.count == size else { return nil }
    let measured = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: FileReport.Measures.self) }
    // Nobody has written there: no sound has a rate of 0.
    return measured.rate == 0 ? nil : .rendered(measured)
  }
}
