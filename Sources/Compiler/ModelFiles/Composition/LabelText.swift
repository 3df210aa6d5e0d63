// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// A text with the name of a label in each line, in the order of a classifier's numbers.
package enum LabelText {
  /// The most bytes of such a file.
  package static let mostBytes = 1 << 23

  /// The reason why a text is none, as it follows the file's name.
  package struct Refusal: Error {
    package let message: String
  }

  /// The names in a text; lines that are left empty at its end are not counted.
  package static func labels(_ bytes: [UInt8]) throws(Refusal) -> [String] {
    guard bytes.count <= mostBytes else {
      throw Refusal(message: "has more than \(mostBytes) bytes, which are the most of a file of labels")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(message: "is no text in UTF-8, with the name of a label in each line")
    }
    // A mark of the byte order is no part of the first name.
    var lines = text.unicodeScalars.drop { $0 == "\u{FEFF}" }
      .split(omittingEmptySubsequences: false) { $0 == "\n" }
      .map { String($0.last == "\r" ? $0.dropLast() : $0) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard (1...ModelDocument.maximumLabels).contains(lines.count) else {
      throw Refusal(
        message:
          "has \(counted(lines.count, "label")); from 1 to \(ModelDocument.maximumLabels) are read, one in each line"
      )
    }
    for (row, line) in lines.enumerated() {
      let length = line.unicodeScalars.count
      guard (1...ModelDocument.maximumNameLength).contains(length) else {
        throw Refusal(
          message: length == 0
            ? "has no name of a label in line \(row + 1)"
            : "has \(length) characters in line \(row + 1); at most \(ModelDocument.maximumNameLength) are a label's"
        )
      }
    }
    return lines
  }
}
