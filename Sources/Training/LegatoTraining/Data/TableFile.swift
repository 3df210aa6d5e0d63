// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
public import Legato
internal import Listening

/// A table in a CSV file (RFC 4180), whose rows are examples; fields are parted by commas, or as in the first line by
/// semicolons or tabs.
///
///     x.0,x.1,target          columns NAME or NAME.0, NAME.1, … are inputs and targets by their names
///     0.5,1.5,cat             words in a target's column are classes, where it has no number
public struct TableFile: Sendable {
  /// The file as it was named.
  public let path: String
  /// The names of the columns, as the first line has them.
  public let columns: [String]
  /// The rows with the lines that they begin in.
  private let rows: [(line: Int, fields: [String])]

  /// - Throws: `TrainingError.data` where the file cannot be read, has no rows, or a row has more or fewer fields than
  ///   there are columns.
  public init(contentsOf path: String) throws(TrainingError) {
    self.path = path
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: .max) } catch {
      throw .data(error.description)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .data("\(path): is not a text of UTF-8")
    }
    var records = try Self.records(of: text, path)
    guard !records.isEmpty else { throw .data("\(path): has no line with the names of columns") }
    columns = records.removeFirst().fields.map { $0.trimmingCharacters(in: .whitespaces) }
    rows = records
    guard !rows.isEmpty else { throw .data("\(path): has no rows below its names") }
    if let twice = Dictionary(grouping: columns, by: \.self).first(where: { $1.count > 1 })?.key {
      throw .data("\(path):1: two columns are called \(quoted(twice))")
    }
    for row in rows where row.fields.count != columns.count {
      throw .data(
        "\(path):\(row.line): the row has \(row.fields.count) fields, and the table \(columns.count) columns")
    }
  }

  /// The examples of a model.
  ///
  /// - Parameters:
  ///   - inputs: the inputs with their shapes. Where no column has the name of one, and there is one, it gets all columns
  ///     that are no target's, in their order.
  ///   - targets: the names of targets; a column `label` is `target`, too.
  ///   - labels: the names of classes, in their order; nil for those that there are, sorted.
  /// - Returns: an array for each input and target, and the classes that words stand for.
  /// - Throws: `TrainingError.data` for a column that is missing, and a field that is no number or class.
  public func examples(
    inputs: [(name: String, shape: [Int])], targets: [String], labels: [String]? = nil
  ) throws(TrainingError) -> (arrays: [String: Tensor], labels: [String]?) {
    var places: [String: [Int]] = [:]
    for name in inputs.map(\.name) + targets { places[name] = self.places(of: name) }
    if targets.contains("target"), places["target"] == [] { places["target"] = self.places(of: "label") }
    let taken = Set(targets.flatMap { places[$0]! })
    if inputs.count == 1, places[inputs[0].name] == [] {
      places[inputs[0].name] = columns.indices.filter { !taken.contains($0) }
    }
    var (arrays, classes): ([String: Tensor], [String]?) = ([:], nil)
    for name in targets {
      let own = places[name]!
      guard !own.isEmpty else {
        let known = columns.prefix(8).map { quoted($0) }.joined(separator: ", ")
        let asked = name == "target" ? "'target' or 'label'" : quoted(name)
        throw .data("\(path):1: no column is called \(asked); there are \(known)")
      }
      // A number that is mistyped makes no classes of a column of numbers.
      let words = own.count == 1 ? rows.count { Float($0.fields[own[0]].trimmed) == nil } : 0
      if words > 0, words == rows.count || labels != nil {
        let (tensor, names) = try self.classes(own[0], labels)
        (arrays[name], classes) = (tensor, names)
      } else {
        arrays[name] = try tensor(own, own.count == 1 ? [] : [own.count])
      }
    }
    for (name, shape) in inputs {
      let (own, count) = (places[name]!, shape.reduce(1, *))
      guard own.count == count else {
        throw .data(
          "\(path):1: \(quoted(name)) is \(shape), and takes \(count) columns, \(quoted(name)) or \(quoted(name + ".0")), …; "
            + "there are \(own.count)")
      }
      arrays[name] = try tensor(own, shape)
    }
    return (arrays, classes)
  }

  /// The columns of a name: its own, or those with numbers behind it, in the order of these.
  private func places(of name: String) -> [Int] {
    if let own = columns.firstIndex(of: name) { return [own] }
    var result: [Int] = []
    while let next = columns.firstIndex(of: "\(name).\(result.count)") { result.append(next) }
    return result
  }

  private func tensor(_ places: [Int], _ shape: [Int]) throws(TrainingError) -> Tensor {
    var values: [Float] = []
    values.reserveCapacity(rows.count * places.count)
    for row in rows {
      for place in places {
        guard let number = Float(row.fields[place].trimmed), number.isFinite else {
          throw .data(
            "\(path):\(row.line): column \(quoted(columns[place])): \(quoted(row.fields[place])) is no finite number"
          )
        }
        values.append(number)
      }
    }
    return try! Tensor(shape: [rows.count] + shape, values: values)
  }

  private func classes(
    _ place: Int, _ labels: [String]?
  ) throws(TrainingError) -> (Tensor, labels: [String]) {
    let words = rows.map { $0.fields[place].trimmed }
    let labels = labels ?? Set(words).sorted()
    let numbers = Dictionary(labels.enumerated().map { ($1, Float($0)) }) { first, _ in first }
    var values: [Float] = []
    for (row, word) in zip(rows, words) {
      guard let number = numbers[word] else {
        throw .data(
          "\(path):\(row.line): column \(quoted(columns[place])): \(quoted(word)) is no class"
            + hint(for: word, among: labels))
      }
      values.append(number)
    }
    return (Tensor(values), labels)
  }

  // MARK: Reading

  /// The fields of each record, and the line that it begins in.
  private static func records(
    of text: String, _ path: String
  ) throws(TrainingError) -> [(line: Int, fields: [String])] {
    var records: [(line: Int, fields: [String])] = []
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    var (record, begin): (LineFields, Int?) = (LineFields(UInt8(ascii: ",")), nil)
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let own = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if begin == nil, own.isEmpty { continue }
      if records.isEmpty, begin == nil { record = LineFields(LineFields.separator(in: own)) }
      let first = begin ?? index + 1
      begin = first
      guard let fields = record.take(own) else { continue }
      records.append((first, fields))
      begin = nil
    }
    if let begin { throw .data("\(path):\(begin): a quote is not closed") }
    return records
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
