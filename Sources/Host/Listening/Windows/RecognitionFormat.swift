// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// A text of what windows were taken for, answer by answer.
///
///     table     begin       end  label    probability  walking  running
///               0.000     5.000  walking        0.981    0.981    0.019
///     lines     0.000⇥5.000⇥walking⇥0.981
///     json      {"begin":0,"end":5,"label":"walking","probabilities":{…},"probability":0.981,"window":0}
///     labels    a track of labels, as `LabelTrackWriter` writes it
public struct RecognitionFormat: Sendable {
  /// The form of the text.
  public enum Kind: String, CaseIterable, Sendable {
    /// A line for each answer under a heading, for people.
    case table
    /// Begin, end, label and probability between tabs.
    case lines
    /// An object a line.
    case json
    /// A track of labels for Audacity.
    case labels
  }

  public let kind: Kind
  /// The labels as they are written: in one line, and of a length that can be read.
  public let labels: [String]
  private var track: LabelTrackWriter
  private var recording: String?
  /// Times of a clock are longer than those that begin at 0.
  private var timeWidth = 8

  /// More labels than these stand in no columns of their own.
  private static let mostColumns = 6

  /// - Parameters:
  ///   - kind: how answers are written.
  ///   - labels: those of the model, in its order.
  ///   - window: readings in a window.
  ///   - hop: readings from the beginning of a window to that of the next.
  ///   - rate: readings per second.
  public init(_ kind: Kind, labels: [String], window: Int, hop: Int, rate: Double) {
    (self.kind, self.labels) = (kind, labels.map { printable($0, limit: 256) })
    track = LabelTrackWriter(window: window, hop: hop, rate: rate)
  }

  /// The text before the first answer.
  public mutating func head(of first: Recognition) -> String {
    guard kind == .table else { return "" }
    timeWidth = max(timeWidth, Self.decimal(first.end).count)
    let names = columns.map { Self.right($0, width(of: $0)) }
    let times = ["begin", "end"].map { Self.right($0, timeWidth) }
    return (times + [Self.left("label", labelWidth), "probability"] + names).joined(separator: "  ") + "\n"
  }

  /// The text of an answer.
  ///
  /// - Throws: `ListeningError.data` where a time is no finite number, which JSON has not.
  public mutating func text(_ found: Recognition) throws(ListeningError) -> String {
    switch kind {
    case .table: return row(found)
    case .lines:
      let fields = [
        Self.decimal(found.begin), Self.decimal(found.end), name(of: found), Self.decimal(found.probability),
      ]
      return (fields + (found.recording.map { [printable($0, limit: 256)] } ?? [])).joined(separator: "\t")
        + "\n"
    case .json: return try object(found)
    case .labels: return track.add(found)
    }
  }

  /// The text behind the last answer.
  public mutating func end() -> String { kind == .labels ? track.finish() : "" }

  // MARK: Table

  private var columns: [String] { labels.count <= Self.mostColumns ? labels : [] }
  private var labelWidth: Int { max(5, labels.map(\.count).max() ?? 0) }
  private func width(of label: String) -> Int { max(5, label.count) }
  private func name(of found: Recognition) -> String {
    found.label.map { printable($0, limit: 256) } ?? "-"
  }

  private mutating func row(_ found: Recognition) -> String {
    var title = ""
    if found.recording != recording {
      recording = found.recording
      title = recording.map { "\(printable($0, limit: 256)):\n" } ?? ""
    }
    let numbers = zip(columns, found.probabilities).map { label, number in
      Self.right(Self.decimal(number), width(of: label))
    }
    let cells = [
      Self.right(Self.decimal(found.begin), timeWidth), Self.right(Self.decimal(found.end), timeWidth),
      Self.left(name(of: found), labelWidth), Self.right(Self.decimal(found.probability), 11),
    ]
    return title + (cells + numbers).joined(separator: "  ") + "\n"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func decimal(_ number: Double) -> String { String(format: "%.3f", number) }
  private static func decimal(_ number: Float) -> String {
    number.isFinite ? decimal(Double(number)) : "-"
  }

  // MARK: JSON

  private struct Object: Encodable {
    let begin, end: Double
    /// Null where no probability is a finite number.
    let label: String?
    let probabilities: [String: Float?]
    let probability: Float?
    let recording: String?
    let window: Int
  }

  private func object(_ found: Recognition) throws(ListeningError) -> String {
    let numbers = zip(found.labels, found.probabilities).map { ($0, $1.isFinite ? $1 : nil) }
    return try Self.line(
      Object(
        begin: found.begin, end: found.end, label: found.label,
        probabilities: Dictionary(numbers) { first, _ in first },
        probability: found.best.map { found.probabilities[$0] }, recording: found.recording,
        window: found.window))
  }

  /// A line of JSON.
  package static func line(_ value: some Encodable) throws(ListeningError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n" } catch {
      throw .data("the answer cannot be written as JSON: \(error)")
    }
  }
}
