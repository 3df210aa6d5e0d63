// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// The header of a text of readings: how fields are parted, and which of them are read.
package struct LineHeader {
  /// The names of all fields; nil where the first line is numbers only, and a reading itself.
  let names: [String]?
  /// The fields of each line.
  let count: Int
  let separator: UInt8
  /// The places of the numbers of a reading, in the order of the model.
  let columns: [Int]
  let time, recording, truth: Int?

  /// - Parameters:
  ///   - line: the first line.
  ///   - place: what messages begin with.
  init(
    _ line: ArraySlice<UInt8>, for form: WindowForm, time: LineReadings.TimeColumn?, recording: String?,
    truth: String?, place: String
  ) throws(ListeningError) {
    guard String(validating: line, as: UTF8.self) != nil, !line.contains(0) else {
      throw .data("\(place): is no text of UTF-8; readings come one a line")
    }
    separator = LineFields.separator(in: line)
    guard let fields = LineFields.fields(of: line, separator) else {
      throw .data("\(place): a quote is not closed")
    }
    count = fields.count
    guard !fields.allSatisfy({ Double($0) != nil }) else {
      guard count == form.columns.count, time == nil, recording == nil, truth == nil else {
        throw .data(
          "\(place): \(counted(count, "number")) without names, and the model takes \(form.columnsText); "
            + "a first line names the columns")
      }
      (names, columns) = (nil, Array(fields.indices))
      (self.time, self.recording, self.truth) = (nil, nil, nil)
      return
    }
    names = fields
    if let twice = Dictionary(grouping: fields, by: \.self).filter({ $1.count > 1 }).keys.sorted().first {
      throw .data("\(place): two columns are called \(quoted(twice))")
    }
    func column(_ name: String) throws(ListeningError) -> Int {
      if let index = fields.firstIndex(of: name) { return index }
      let near = nearestName(to: name, among: fields).map { "did you mean \(quoted($0))?" }
      let known = fields.prefix(12).map { quoted($0) }.joined(separator: ", ")
      throw .data("\(place): no column is called \(quoted(name)); \(near ?? "there are \(known)")")
    }
    var places = (time: fields.firstIndex(of: LineReadings.TimeColumn().name), recording: nil as Int?)
    if let time { places.time = try column(time.name) }
    if let recording { places.recording = try column(recording) }
    (self.time, self.recording) = places
    let right = try truth.map { name throws(ListeningError) in try column(name) }
    self.truth = right
    guard form.areNamed || form.columns.allSatisfy(fields.contains) else {
      let others = fields.indices.filter { ![places.time, places.recording, right].contains($0) }
      guard others.count == form.columns.count else {
        throw .data(
          "\(place): the model takes \(form.columnsText) without names, and \(others.count) are there; "
            + "say which they are, in the order of the model")
      }
      columns = others
      return
    }
    var own: [Int] = []
    for name in form.columns { own.append(try column(name)) }
    columns = own
  }

  /// The names of the columns of a file; nil where it has none, or cannot be read. What is no ordinary file is left
  /// alone: a pipe's first line comes once.
  package static func names(of path: String) -> [String]? {
    guard (try? FileStatus(path: path))?.isFile == true, let lines = try? ByteLines(path: path),
      case .line(var line)? = try? lines.next()
    else {
      return nil
    }
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return LineFields.fields(of: line[...], LineFields.separator(in: line))
  }
}
