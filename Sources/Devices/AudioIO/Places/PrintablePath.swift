// SPDX-License-Identifier: Apache-2.0

/// A path, or a message with one, so that it neither breaks the line nor reaches a terminal as commands.
///
///     a⏎b.wav → a\nb.wav        caf<E9>.wav → caf\xE9.wav
///
/// Names may hold anything but a slash and a zero. A backslash stays as it is: the text is for people.
package func printablePath(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { needsEscape($0) }) else { return text }
  return text.unicodeScalars.map { scalar in
    guard needsEscape(scalar) else { return String(scalar) }
    if scalar == "\n" { return "\\n" }
    if scalar == "\t" { return "\\t" }
    let byte = PathText.foreignByte(scalar).map(UInt32.init) ?? scalar.value
    let digits = String(byte, radix: 16, uppercase: true)
    return "\\x" + (digits.count < 2 ? "0" : "") + digits
  }.joined()
}

private func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.generalCategory == .control || PathText.foreignByte(scalar) != nil
}
