// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
internal import TerminalDrawing

/// The terminal, while something is shown on it.
package final class VoiceTerminal {
  private let view: TerminalView

  /// The signal that asked for the end; 0 before one did.
  private static let request = Atomic<Int32>(0)
  /// Whether somebody asked for the end.
  package static var isAsked: Bool { request.load(ordering: .relaxed) != 0 }

  /// Makes the first interruption a request; the next one gives the terminal back and ends the process.
  package static func ask() {
    // Made before a handler can use it.
    request.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let former = signal(number) { number in
        if VoiceTerminal.request.exchange(number, ordering: .relaxed) != 0 { VoiceTerminal.end(by: number) }
      }
      // Whoever started the process under nohup wants it to go on.
      if unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }

  /// Ends the process by the signal that asked for it, so that whoever started it learns that; where none did, nothing.
  package static func endAsAsked() {
    let number = request.load(ordering: .relaxed)
    if number != 0 { end(by: number) }
  }

  private static func end(by number: Int32) {
    TerminalState.giveBack()
    signal(number, SIG_DFL)
    raise(number)
  }

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
