// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The points of each parameter of a model, as a file has them: rows of one parameter follow one another in time, those
/// of several stand in any order.
struct AutomationPoints: Sendable {
  struct Point: Sendable {
    /// In seconds.
    var time: Double
    var value: Float
    /// The way to it.
    var way: AutomationWay
    var line: Int
  }

  /// Points of one parameter, in order, by its name.
  private(set) var lanes: [(parameter: Model.Parameter, points: [Point])] = []
  private var faults: [String] = []
  private let path: String

  /// Nobody reads more.
  private static let maximumFaults = 100

  /// - Throws: `RenderingError.points` with all errors of the file.
  init(_ text: AutomationFile, for model: Model) throws(RenderingError) {
    path = text.path
    var omitted = 0
    for (row, line) in text.lines.enumerated() {
      do throws(Fault) {
        try read(line, number: row + 1, of: model)
      } catch {
        guard faults.count < Self.maximumFaults else {
          omitted += 1
          continue
        }
        faults.append("\(path):\(row + 1): \(error.message)")
      }
    }
    if lanes.isEmpty, faults.isEmpty {
      faults.append("\(path): there are no points; a row is a time in seconds, a parameter and a value")
    }
    if omitted > 0 { faults.append("\(path): \(counted(omitted, "more fault")) left out") }
    guard faults.isEmpty else { throw .points(faults) }
  }

  private struct Fault: Error {
    var message: String
  }

  private mutating func read(_ line: Substring, number: Int, of model: Model) throws(Fault) {
    let content = line.prefix { $0 != "#" }
    let fields = content.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    if fields == [""] { return }
    // A line with the names of the columns.
    let isTitle = Self.titles.contains(String(fields[0].prefix { $0.isLetter }.lowercased()))
    if lanes.isEmpty, isTitle, !fields[0].contains(where: \.isNumber) { return }
    guard fields.count == 3 || fields.count == 4 else {
      throw Fault(
        message:
          "a row has a time, a parameter, a value and perhaps a way; this has \(counted(fields.count, "column"))"
      )
    }
    let time = try Self.time(fields[0])
    let (parameter, value) = try setting(fields[1], fields[2], of: model)
    let way = try Self.way(fields.count == 4 ? fields[3] : "", of: parameter)
    try append(Point(time: time, value: value, way: way, line: number), to: parameter)
  }

  /// The titles of the column of times, as they begin.
  private static let titles: Set<String> = ["time", "times", "seconds", "second", "secs", "sec", "s", "t"]

  /// The way that a word says, or the parameter's own scale.
  private static func way(_ word: String, of parameter: Model.Parameter) throws(Fault) -> AutomationWay {
    let isLogarithmic = parameter.isLogarithmic
    switch word {
    case "": return isLogarithmic ? .exponential : .linear
    case "step": return .step
    case "linear": return .linear
    case "exponential": return .exponential
    case "smooth": return .smooth(isExponential: isLogarithmic)
    default:
      throw Fault(
        message: "the fourth column is linear, exponential, smooth, step or empty, not \(quoted(word))")
    }
  }

  private mutating func append(_ point: Point, to parameter: Model.Parameter) throws(Fault) {
    guard let lane = lanes.firstIndex(where: { $0.parameter.name == parameter.name }) else {
      lanes.append((parameter, [point]))
      return
    }
    let last = lanes[lane].points[lanes[lane].points.count - 1]
    guard last.time <= point.time else {
      throw Fault(
        message: "\(written(point.time)) s comes after \(written(last.time)) s of \(parameter.name) in line "
          + "\(last.line); the points of a parameter follow one another")
    }
    if parameter.ramp == 0, point.way != .step, last.value != point.value {
      throw Fault(
        message: "\(parameter.name) steps and cannot move on a line; write step in the fourth column")
    }
    guard last.time == point.time || point.way.leads(from: last.value, to: point.value) else {
      throw Fault(
        message:
          "\(parameter.name) goes from \(written(last.value)) to \(written(point.value)), and an exponential way "
          + "neither to 0 nor through it; write linear, or end it beside 0")
    }
    lanes[lane].points.append(point)
  }

  private static func time(_ text: String) throws(Fault) -> Double {
    guard let quantity = Quantity(text), let seconds = quantity.number(inUnit: "s") else {
      throw Fault(message: "\(quoted(text)) is no time; write seconds, such as 2.5 or 250ms")
    }
    guard (0...1e9).contains(seconds) else {
      throw Fault(message: "the time \(quoted(text)) does not lie within 0 to 1000000000 s")
    }
    return seconds
  }

  private func setting(
    _ name: String, _ value: String, of model: Model
  ) throws(Fault) -> (Model.Parameter, Float) {
    do throws(RequestError) {
      let setting = try model.setting(name, to: value)
      let parameter = model.parameters.first { $0.name == setting.name }
      guard let parameter else { throw RequestError("\(quoted(name)) is no parameter") }
      return (parameter, setting.value)
    } catch {
      throw Fault(message: error.description)
    }
  }
}
