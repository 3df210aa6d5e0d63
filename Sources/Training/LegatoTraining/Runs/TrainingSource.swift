// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The kind of data that a request names, with what has to be known of it before the model has its shapes.
enum TrainingSource {
  case pairs([(input: String, target: String)], Sound)
  case sounds(folder: String, Sound)
  case pictures(folder: String, ImageForm)
  /// A table with a reading in each line, for a model that listens.
  case readings(String)
  case table(String)
  case arrays([String: Tensor], files: [String: String])
  /// Those of a program itself.
  case examples(any Dataset)
  case nothing

  /// The rate of the sounds in hertz, and the channels of the first one.
  typealias Sound = (sampleRate: Int, channels: Int)

  var sound: Sound? {
    switch self {
    case .pairs(_, let sound), .sounds(_, let sound): sound
    case .pictures, .readings, .table, .arrays, .examples, .nothing: nil
    }
  }

  /// The files that are named; of a folder those in it are known when it is read.
  var files: [String] {
    switch self {
    case .pairs(let pairs, _): pairs.flatMap { [$0.input, $0.target] }
    case .readings(let path), .table(let path): [path]
    case .arrays(_, let files): files.values.sorted()
    case .sounds, .pictures, .examples, .nothing: []
    }
  }

  /// - Parameters:
  ///   - request: what names them.
  ///   - model: the one that learns.
  ///   - forms: how pictures become its inputs.
  ///   - extents: a number for each of its symbols.
  init(
    _ request: TrainingRequest, for model: Model, _ forms: [String: ImageForm], _ extents: [String: Int]
  ) throws {
    if let examples = request.examples {
      self = .examples(examples)
      return
    }
    let given = request.data
    guard !given.isEmpty else {
      self = .nothing
      return
    }
    if LabelledFiles.isFolder(given[0]) {
      guard given.count == 1 else { throw RequestError("\(.data) takes one folder, with one for each class") }
      if let input = model.inputs.first, let form = forms[input.name] {
        self = .pictures(folder: given[0], form)
        return
      }
      self = .sounds(folder: given[0], try LabelledFiles.sound(in: given[0]))
      return
    }
    if model.executesStream {
      let pairs = try given.map(Self.paths)
      let first = try AudioFileReader(path: pairs[0].input).description
      self = .pairs(pairs, (first.sampleRate, first.channels))
      return
    }
    if given[0].lowercased().hasSuffix(".csv"), !given[0].contains("=") {
      guard given.count == 1 else { throw RequestError("\(.data) takes one table") }
      self =
        ReadingWindows.describes(given[0], for: model, extents: extents)
        ? .readings(given[0]) : .table(given[0])
      return
    }
    let (arrays, files) = try Self.arrays(given, for: model)
    self = .arrays(arrays, files: files)
  }

  /// "in.wav:out.wav"
  private static func paths(_ text: String) throws(RequestError) -> (input: String, target: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw RequestError("\(.data) takes a sound and its target, in.wav:out.wav, not \(quoted(text))")
    }
    return (String(parts[0]), String(parts[1]))
  }

  /// "x=x.npy", or a file of several arrays by their names.
  private static func arrays(
    _ given: [String], for model: Model
  ) throws -> (arrays: [String: Tensor], files: [String: String]) {
    var (arrays, files): ([String: Tensor], [String: String]) = ([:], [:])
    func take(_ name: String, _ path: String, _ array: @autoclosure () throws -> Tensor) throws {
      if let other = files[name] {
        throw RequestError(
          "\(.data): \(quoted(name)) is both in \(other) and in \(path); an input or a target has one array")
      }
      (arrays[name], files[name]) = (try array(), path)
    }
    for text in given {
      if let equals = text.firstIndex(of: "="), equals != text.startIndex {
        let path = String(text[text.index(after: equals)...])
        try take(String(text[..<equals]), path, Tensor(contentsOf: path))
      } else {
        if (try? FileStatus(path: text)) == nil, (try? paths(text)) != nil {
          throw RequestError(
            "\(.data): \(quoted(model.name)) is a model of steps, and takes a folder, a table, data.csv, or arrays, "
              + "NAME=FILE, not a sound and its target, \(quoted(text))"
          )
        }
        let archive = try TensorArchive(contentsOf: text)
        guard !archive.names.isEmpty else {
          throw RequestError(
            "\(.data): \(text) has no names; an array goes by that of an input or a target: NAME=\(text)")
        }
        for name in archive.names { try take(name, text, archive.tensor(name)) }
      }
    }
    return (arrays, files)
  }
}
