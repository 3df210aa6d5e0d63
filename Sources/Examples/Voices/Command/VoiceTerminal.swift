// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
internal import TerminalDrawing

/// The terminal, while something is shown on it.
package final class VoiceTerminal {
  private let traits: TerminalTraits
  private var shown: Screen?
  private var output = TerminalOutput()
  private var isIn = false

  /// Whether somebody asked for the end.
  private static let asked = Atomic(false)
  package static var isAsked: Bool { asked.load(ordering: .relaxed) }

  /// Makes the first interruption a request; the next one ends the process.
  static func ask() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        VoiceTerminal.asked.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }

  /// Nil where no terminal is at hand, or one without places.
  package init?(_ environment: [String: String]) {
    traits = TerminalTraits { environment[$0] }
    guard traits.hasPlaces, traits.hasUnicode, TerminalState.isAtHand else { return nil }
  }

  func enter() throws(VoiceError) {
    guard !isIn else { return }
    guard TerminalState.enter() else { throw .failed("the terminal cannot be had; --plain writes lines") }
    isIn = true
  }

  func leave() {
    guard isIn else { return }
    isIn = false
    TerminalState.leave()
    (shown, output) = (nil, TerminalOutput())
  }

  /// Shows a picture of the terminal's size, once the one before is there.
  func show(_ draw: (_ columns: Int, _ rows: Int) -> Screen) {
    guard isIn, output.isClear() else { return }
    if TerminalState.isStale.exchange(false, ordering: .relaxed) { shown = nil }
    let size = TerminalState.size
    let drawn = draw(max(10, size.columns), max(4, size.rows))
    let screen = traits.hasColor ? drawn : drawn.withoutColor
    output.send(TerminalSequences.whole(ScreenDifference.bytes(from: shown, to: screen)))
    shown = screen
  }
}
