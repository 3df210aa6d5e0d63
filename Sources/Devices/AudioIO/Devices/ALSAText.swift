// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CALSAMessages

/// The messages of alsa-lib, as the rest of a line of ours.
enum ALSAText {
  /// The first message on this thread since messages were forgotten, which tells the cause; empty where there is none.
  static var cause: String { line(unsafe String(cString: CALSAFirstMessage())) }

  /// The reason why a call failed: the cause, or the meaning of the number.
  static func reason(_ code: Int32) -> String {
    let cause = cause
    return cause.isEmpty ? line(unsafe String(cString: snd_strerror(code))).loweringFirst : cause
  }

  /// The same, after the last message, which names the file that was read.
  static func reasonInFile(_ code: Int32) -> String {
    let last = line(unsafe String(cString: CALSALastMessage()))
    return (last.isEmpty ? "" : last + ": ") + reason(code)
  }

  /// One line, without signs that control a terminal.
  static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
    return words.joined(separator: " ")
  }
}

extension String {
  /// "Device or resource busy" → "device or resource busy": the sentence goes on after a place.
  fileprivate var loweringFirst: String { prefix(1).lowercased() + dropFirst() }
}
