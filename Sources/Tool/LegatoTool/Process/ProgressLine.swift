// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR

/// How far a run over many files is, on the terminal.
///
///     312 of 1000 files, 45.02 files/s, 15 s left
struct ProgressLine {
  private let total: Int
  private let console: Console
  private let begin = ContinuousClock.now

  init(total: Int, _ console: Console) {
    self.total = total
    self.console = console
  }

  var seconds: Double {
    let (whole, parts) = (ContinuousClock.now - begin).components
    return Double(whole) + Double(parts) * 1e-18
  }

  func show(done: Int) { console.progress(Self.text(done: done, of: total, after: seconds)) }

  /// Takes the line away, before something else is said.
  func clear() { console.endProgress() }

  static func text(done: Int, of total: Int, after seconds: Double) -> String {
    let line = "\(done) of \(counted(total, "file"))"
    guard done > 0, seconds > 0 else { return line }
    let rate = Double(done) / seconds
    let left = Int((Double(total - done) / rate).rounded(.up))
    let time = left < 120 ? "\(left) s" : left < 7200 ? "\(left / 60) min" : "\(left / 3600) h"
    return line + ", \(decimals(rate)) files/s, \(time) left"
  }
}
