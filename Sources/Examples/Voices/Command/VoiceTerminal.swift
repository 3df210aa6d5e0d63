// SPDX-License-Identifier: Apache-2.0

internal import TerminalDrawing

/// The terminal, while something is shown on it.
package final class VoiceTerminal {
  private let view: TerminalView

  /// Nil where no terminal is at hand, or one without places.
  package init?(_ environment: [String: String]) {
    guard let view = TerminalView({ environment[$0] }) else { return nil }
    self.view = view
  }

  func enter() throws(VoiceError) {
    guard view.enter() else { throw .failed("the terminal cannot be had; --plain writes lines") }
  }

  func leave() { view.leave() }

  /// Shows a picture of the terminal's size, once the one before is there.
  func show(_ draw: (_ columns: Int, _ rows: Int) -> Screen) { view.show(draw) }
}
