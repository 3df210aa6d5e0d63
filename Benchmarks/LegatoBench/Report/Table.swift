// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Prints figures as they come, and keeps them.
final class Table {
  private(set) var figures: [Figure] = []
  private(set) var calls: [CallFigure] = []
  /// Of every row whose executes were watched.
  private(set) var watched: [(row: String, executes: WatchedExecutes)] = []
  private(set) var notes: [String] = []

  static let heading =
    pad("", 44) + pad("median", -12) + pad("p99 batch", -12) + "  " + pad("beside", 34) + pad("ratio", -7)

  func section(_ title: String) { print("\n\(title)\n\(Self.heading)") }

  func add(_ figure: Figure) {
    figures.append(figure)
    watch(figure.name, figure.watched)
    let unit = figure.unit.rawValue
    var line = Self.pad(figure.name, 44)
    line += Self.pad("\(Self.number(figure.median)) \(unit)", -12)
    line += Self.pad(figure.p99.map { "\(Self.number($0)) \(unit)" } ?? "", -12)
    if let reference = figure.reference, let median = figure.referenceMedian, let ratio = figure.ratio {
      line += "  " + Self.pad("\(reference) \(Self.number(median)) \(unit)", 34)
      line += Self.pad(String(format: "%.3f", ratio), -7)
    } else if !figure.bars.isEmpty {
      line += Self.pad("", 43)
    }
    for bar in figure.bars { line += "  \(bar.isKept ? "kept" : "MISSED"): \(bar.promise)" }
    print(line + Self.mark(figure.watched))
  }

  /// The heading of the table of calls.
  func callSection(calls: Int, coldCalls: Int) {
    print(
      """

      one execute: the median of batches; p99 to maximum of \(calls) calls timed one by one, and how often the system took
      the processor away meanwhile; the median of \(coldCalls) calls that come after another program has used the caches;
      nanoseconds and, in blocks of 128, instructions per frame
      """)
    let columns = ["median", "p99", "p99.9", "maximum", "taken", "cold", "ns/frame", "instr/frame"]
    print(Self.pad("", 40) + columns.map { Self.pad($0, -12) }.joined())
  }

  func add(_ call: CallFigure) {
    calls.append(call)
    watch(call.name, call.watched)
    let columns =
      ["\(Self.number(call.median)) ns"] + [call.p99, call.p999, call.maximum].map(Self.time)
      + ["\(call.interruptions)", Self.time(call.coldMedian)]
      + [call.nanosecondsPerFrame, call.instructionsPerFrame].map { $0.map(Self.number) ?? "-" }
    print(
      Self.pad(call.name, 40) + columns.map { Self.pad($0, -12) }.joined() + Self.mark(call.watched))
  }

  private func watch(_ row: String, _ executes: WatchedExecutes?) {
    if let executes { watched.append((row, executes)) }
  }

  private static func mark(_ executes: WatchedExecutes?) -> String {
    guard let offences = executes?.offences, !offences.isEmpty else { return "" }
    return "  FORBIDDEN: " + offences.joined(separator: ", ")
  }

  func note(_ text: String) {
    notes.append(text)
    print(text)
  }

  var isEmpty: Bool { figures.isEmpty && calls.isEmpty }

  /// All of it as a JSON document.
  func json(_ machine: Machine) throws -> String {
    struct Document: Encodable {
      let machine: Machine
      let notes: [String]
      let figures: [Figure]
      let calls: [CallFigure]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let document = Document(machine: machine, notes: notes, figures: figures, calls: calls)
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }

  static func number(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value)
  }

  /// A time of one call, in nanoseconds at first; parts of one mean nothing.
  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<100_000: String(format: "%.0f ns", nanoseconds)
    case ..<1_000_000: String(format: "%.0f µs", nanoseconds * 1e-3)
    case _: String(format: "%.1f ms", nanoseconds * 1e-6)
    }
  }

  /// Text in a column; a negative width aligns it to the right.
  private static func pad(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? space + text : text + space
  }
}
