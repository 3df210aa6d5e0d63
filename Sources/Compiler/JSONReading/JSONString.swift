// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A string of a JSON text, with the place of each of its characters.
///
///     "gain": "a\u0020+ b"     character 2 of the string is '+', ten columns after the quote
///
/// A character is a Unicode scalar, as in `Place`. A string of JSON never spans lines, so a column says it all.
package struct JSONString: Hashable, Sendable {
  package let text: String
  /// The opening quote.
  package let place: Place
  /// The column of the closing quote.
  let end: Int
  /// The column of each character; empty where no escape shifts them.
  let columns: [UInt32]

  /// A text that was made from a value of a file: all of it stands where that does.
  package init(_ text: String, madeAt place: Place) {
    self.init(text: text, place: place, end: place.column, columns: [])
  }

  init(text: String, place: Place, end: Int, columns: [UInt32]) {
    (self.text, self.place, self.end, self.columns) = (text, place, end, columns)
  }

  /// The place of the character with this zero-based index; an index past the end is the closing quote.
  package func place(atCharacter index: Int) -> Place {
    precondition(index >= 0, "a character before the string")
    if columns.isEmpty { return Place(line: place.line, column: min(place.column + 1 + index, end)) }
    return Place(line: place.line, column: index < columns.count ? Int(columns[index]) : end)
  }
}
