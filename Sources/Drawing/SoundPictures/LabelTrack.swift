// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// Labels of parts of a sound, as Audacity writes them: a line for each, with the beginning, the end and the label.
///
///     0.000000	1.250000	walking
///     1.250000	1.250000	a step            a moment
///     \	100.000000	2000.000000                  frequencies of the label before, which are not drawn
package struct LabelTrack: Sendable {
  package struct Label: Hashable, Sendable {
    /// Seconds; the end of a moment is its beginning.
    package let begin, end: Double
    package let text: String
  }

  /// The reason why a text is none, with its line, counted from 1.
  package struct Refusal: Error {
    package let line: Int
    package let message: String
  }

  /// By their beginnings.
  package let labels: [Label]

  /// The most labels that are read.
  package static let mostLabels = 100_000

  package init(_ text: String) throws(Refusal) {
    var labels: [Label] = []
    // By scalars: a carriage return and a line feed are one character.
    for (place, part) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = String(part.last == "\r" ? part.dropLast() : part)
      if line.allSatisfy(\.isWhitespace) || line.hasPrefix("\\") { continue }
      let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(
        String.init)
      func refusal(_ message: String) -> Refusal { Refusal(line: place + 1, message: message) }
      guard fields.count >= 2 else {
        throw refusal(
          "a line has the beginning, the end and the label, with tabs between them, not \(quoted(line))"
        )
      }
      guard let begin = Double(fields[0]), let end = Double(fields[1]), begin >= 0, begin.isFinite,
        end.isFinite
      else {
        throw refusal(
          "the beginning and the end are seconds, such as 1.25, not \(quoted(fields[0])) and \(quoted(fields[1]))"
        )
      }
      guard begin <= end else {
        throw refusal("the label ends at \(written(end)) s, before it begins at \(written(begin)) s")
      }
      guard labels.count < Self.mostLabels else {
        throw refusal("there are more than \(Self.mostLabels) labels")
      }
      labels.append(Label(begin: begin, end: end, text: fields.count > 2 ? fields[2] : ""))
    }
    guard !labels.isEmpty else {
      throw Refusal(line: 1, message: "there is no label; a line has its beginning, its end and its name")
    }
    self.labels = labels.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }
  }

  /// Labels in lanes, so that none covers another one; of many at once, those that find no place are left out.
  ///
  /// - Parameter most: lanes.
  func lanes(most: Int) -> (lanes: [[Label]], left: Int) {
    var (lanes, left) = ([[Label]](), 0)
    for label in labels {
      if let free = lanes.firstIndex(where: { ($0.last?.end ?? 0) <= label.begin + 1e-9 }) {
        lanes[free].append(label)
      } else if lanes.count < most {
        lanes.append([label])
      } else {
        left += 1
      }
    }
    return (lanes, left)
  }
}
