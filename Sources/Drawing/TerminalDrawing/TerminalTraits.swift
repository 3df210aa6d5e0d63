// SPDX-License-Identifier: Apache-2.0

/// The terminal's capabilities, as the environment tells them.
package struct TerminalTraits: Equatable {
  /// Whether there are places in it to write to: a dumb one has lines only.
  package let hasPlaces: Bool
  package let hasColor: Bool
  /// Whether it shows the lines and dots of Unicode.
  package let hasUnicode: Bool

  /// - Parameter variable: the environment.
  package init(_ variable: (String) -> String?) {
    let kind = variable("TERM") ?? ""
    hasPlaces = !["", "dumb", "unknown"].contains(kind)
    hasColor = hasPlaces && (variable("NO_COLOR") ?? "").isEmpty
    // The first that is set says it.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variable($0) }.first { !$0.isEmpty } ?? ""
    let coding = locale.lowercased().filter { $0 != "-" }
    // The console of Linux has letters and few signs.
    hasUnicode = coding.contains("utf8") && kind != "linux"
  }
}
