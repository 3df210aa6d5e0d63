// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Glibc
internal import GraphIR
internal import Legato
internal import Listening

/// Where the readings of `legato listen` come from.
enum ListenSource {
  case device(String)
  case sound(String)
  case lines(String)

  init(_ arguments: Arguments) throws(Failure) {
    let operands = arguments.operands
    if operands.count > 1, operands[1] != "-" || operands.count > 2 {
      throw .usage(
        "\(quoted(operands[1] == "-" ? operands[2] : operands[1])) is one too many; expected MODEL, or MODEL and -"
      )
    }
    let given = [Option.device, .input, .csv].filter(arguments.has)
    guard given.count + operands.count - 1 <= 1 else {
      let all = given.map { "--" + $0.name } + (operands.count > 1 ? ["-"] : [])
      throw .usage("\(alternatives(all, "and")) are several sources; name one of them")
    }
    for option in given where arguments.value(of: option) == "" {
      throw .usage("--\(option.name) is empty; see --help")
    }
    if operands.count > 1 {
      self = .lines("-")
    } else if let path = arguments.value(of: .csv) {
      self = .lines(path)
    } else if let path = arguments.value(of: .input) {
      self = .sound(path)
    } else {
      self = .device(arguments.value(of: .device) ?? "default")
    }
    for option in [Option.time, .recording, .truth] where arguments.has(option) {
      guard case .lines = self else {
        throw .usage("--\(option.name) is about lines; --csv FILE or - has some")
      }
    }
    if arguments.has(.seconds), case .lines = self {
      throw .usage("--seconds is about sound; of lines head -n takes some")
    }
    try check()
  }

  /// Throws where the standard input is meant and there is none: called before anything else can take its place.
  private func check() throws(Failure) {
    switch self {
    case .sound("-"), .lines("-"):
      guard fcntl(STDIN_FILENO, F_GETFD) >= 0 else { throw .absent(["standard input: is closed"]) }
    case .device, .sound, .lines: break
    }
  }

  /// Whether it goes on as time does.
  var isLive: Bool {
    switch self {
    case .device: true
    case .sound: false
    case .lines(let path): path != "-" && (try? FileStatus(path: path))?.isFile == false
    }
  }

  /// The files that are read.
  var files: [String] {
    switch self {
    case .device, .sound("-"), .lines("-"): []
    case .sound(let path), .lines(let path): [path]
    }
  }

  var name: String {
    switch self {
    case .device(let name): name
    case .sound("-"), .lines("-"): "standard input"
    case .sound(let path), .lines(let path): path
    }
  }

  /// Opens it.
  ///
  /// - Parameters:
  ///   - form: what the model takes.
  ///   - rate: readings per second.
  func open(
    _ arguments: Arguments, for form: WindowForm, rate: Double
  ) throws -> any ReadingSource {
    switch self {
    case .lines(let path):
      return try LineReadings(
        path, for: form, rate: rate, time: arguments.timeColumn(), recording: arguments.value(of: .recording),
        truth: arguments.value(of: .truth))
    case .device, .sound: break
    }
    guard form.columns.count == 1 else {
      throw Failure.usage(
        "the model takes \(form.columnsText), and sound is one; --csv FILE, or - for the standard input, has several"
      )
    }
    guard let hertz = Int(exactly: rate) else {
      throw Failure.usage("--rate \(written(rate)): sound has a whole number of hertz")
    }
    let seconds = try arguments.seconds()
    switch self {
    case .device(let name): return try SoundDeviceReadings(name, rate: hertz, seconds: seconds)
    case .sound(let path): return try SoundFileReadings(path, rate: hertz, seconds: seconds)
    case .lines: preconditionFailure("lines are opened above")
    }
  }
}

extension Arguments {
  /// The column of times that `--time` names.
  func timeColumn() throws(Failure) -> LineReadings.TimeColumn? {
    guard let text = value(of: .time) else { return nil }
    let units = LineReadings.TimeColumn.Unit.allCases
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
      let unit = units.first(where: { $0.rawValue == text[text.index(after: colon)...] })
    else {
      guard !text.isEmpty else { throw .usage("--time takes the name of a column, such as time or time:ms") }
      return LineReadings.TimeColumn(text)
    }
    return LineReadings.TimeColumn(String(text[..<colon]), unit: unit)
  }
}
