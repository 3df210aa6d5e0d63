// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A line on a terminal that says how far a run is, written over and over; nothing where there is no terminal.
///
///     312 of 1000 files, 45.02 files/s, 15 s left
struct ProgressLine: ~Copyable {
  private let total: Int
  private let isShown: Bool
  private let begin = ContinuousClock.now
  private var isOpen = false

  init(total: Int, _ console: Console) {
    self.total = total
    isShown = !console.isQuiet && isatty(STDERR_FILENO) == 1
  }

  var seconds: Double {
    let (whole, parts) = (ContinuousClock.now - begin).components
    return Double(whole) + Double(parts) * 1e-18
  }

  mutating func show(done: Int) {
    guard isShown else { return }
    isOpen = true
    Interruption.lineIsOpen.store(true, ordering: .relaxed)
    write("\r" + Self.text(done: done, of: total, after: seconds) + "\u{1B}[K")
  }

  /// Takes the line away, before something else is said.
  mutating func clear() {
    guard isOpen else { return }
    isOpen = false
    Interruption.lineIsOpen.store(false, ordering: .relaxed)
    write("\r\u{1B}[K")
  }

  static func text(done: Int, of total: Int, after seconds: Double) -> String {
    let line = "\(done) of \(counted(total, "file"))"
    guard done > 0, seconds > 0 else { return line }
    let rate = Double(done) / seconds
    let left = Int((Double(total - done) / rate).rounded(.up))
    let time = left < 120 ? "\(left) s" : left < 7200 ? "\(left / 60) min" : "\(left / 3600) h"
    return line + ", \(decimals(rate)) files/s, \(time) left"
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
