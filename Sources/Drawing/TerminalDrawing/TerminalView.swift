// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Pictures on the terminal, one in the place of the other, while it is taken.
package final class TerminalView {
  private let traits: TerminalTraits
  private var shown: Screen?
  private var output = TerminalOutput()
  private var isIn = false

  /// Nil where no terminal is at hand, or one without places or the signs that pictures are made of.
  ///
  /// - Parameter variable: the environment.
  package init?(_ variable: (String) -> String?) {
    traits = TerminalTraits(variable)
    guard traits.hasPlaces, traits.hasUnicode, TerminalState.isAtHand else { return nil }
  }

  /// Takes the terminal.
  ///
  /// - Returns: whether that could be done.
  package func enter() -> Bool {
    if !isIn { isIn = TerminalState.enter() }
    return isIn
  }

  /// Gives it back.
  package func leave() {
    guard isIn else { return }
    isIn = false
    TerminalState.leave()
    (shown, output) = (nil, TerminalOutput())
  }

  /// Shows a picture of the terminal's size, once the one before is there.
  package func show(_ draw: (_ columns: Int, _ rows: Int) -> Screen) {
    guard isIn, output.isClear() else { return }
    if TerminalState.isStale.exchange(false, ordering: .relaxed) { shown = nil }
    let size = TerminalState.size
    let drawn = draw(max(10, size.columns), max(4, size.rows))
    let screen = traits.hasColor ? drawn : drawn.withoutColor
    output.send(TerminalSequences.whole(ScreenDifference.bytes(from: shown, to: screen)))
    shown = screen
  }
}
