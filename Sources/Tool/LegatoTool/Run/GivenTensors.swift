// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The tensors that `--input` names, or `--expect`, by the inputs, or outputs, that they are for.
///
///     --input x=in.npz:audio     NAME=FILE:ENTRY
///     --input x=in.npz           the entry x, or the only one
///     --input in.npz             all entries that are called as inputs, or the only one for the only input
struct GivenTensors {
  private struct Given {
    let port: String
    let archive: TensorArchive
    let entry: String?
  }

  private var all: [Given] = []
  private let option: Option
  private let ports: [String]
  /// Of ports, such as "input".
  private let kind: String

  init(_ arguments: Arguments, _ option: Option, for ports: [String], _ kind: String) throws {
    (self.option, self.ports, self.kind) = (option, ports, kind)
    for text in arguments.values(of: option) {
      let before = all.count
      try take(text)
      for given in all[before...] where all.count(where: { $0.port == given.port }) > 1 {
        throw Failure.usage(
          "--\(option.name) \(printable(text)): the \(kind) \(quoted(given.port)) is given twice")
      }
    }
  }

  var isEmpty: Bool { all.isEmpty }
  var names: [String] { all.map(\.port) }
  /// The files, once for each tensor.
  var paths: [String] { all.map(\.archive.path) }

  /// The shapes, of which no number is read.
  func shapes() throws(TensorError) -> [String: [Int]] {
    var shapes: [String: [Int]] = [:]
    for given in all { shapes[given.port] = try given.archive.shape(given.entry) }
    return shapes
  }

  func tensors() throws(TensorError) -> [String: Tensor] {
    var tensors: [String: Tensor] = [:]
    for given in all { tensors[given.port] = try given.archive.tensor(given.entry) }
    return tensors
  }

  /// The file that a port's tensor comes from.
  func path(of port: String) -> String { all.first { $0.port == port }?.archive.path ?? "" }

  private mutating func take(_ text: String) throws {
    func refusal(_ reason: String) -> Failure { .usage("--\(option.name) \(printable(text)): \(reason)") }
    guard !text.isEmpty else { throw Failure.usage("--\(option.name) takes a file, and this is empty") }
    let known = alternatives(ports.map(quoted), "and")
    let (name, file) = try Self.parts(text, of: option, ports, kind)
    let (archive, entry) = try Self.open(file)
    if let name {
      // The entry that is called as the port, or else the only one.
      let named = archive.names.contains(name) ? name : nil
      all.append(Given(port: name, archive: archive, entry: entry ?? named))
      return
    }
    let found = entry == nil ? archive.names.filter(ports.contains) : []
    guard found.isEmpty else {
      all += found.map { Given(port: $0, archive: archive, entry: $0) }
      return
    }
    guard !ports.isEmpty else { throw refusal("the model has no \(kind)s") }
    guard ports.count == 1 else {
      throw refusal(
        archive.names.isEmpty || entry != nil
          ? "the model has the \(kind)s \(known); say which is meant: --\(option.name) \(ports[0])=\(printable(text))"
          : "no tensor of the file is called as one of the \(kind)s \(known)")
    }
    all.append(Given(port: ports[0], archive: archive, entry: entry))
  }

  /// The name of a port, where one is said, and the file; a path may have an equals sign behind a slash.
  static func parts(
    _ text: String, of option: Option, _ ports: [String], _ kind: String
  ) throws(Failure) -> (name: String?, file: String) {
    guard let equals = text.firstIndex(of: "="), !text[..<equals].contains("/") else { return (nil, text) }
    let name = String(text[..<equals])
    guard ports.contains(name) else {
      return try Failure.at("--\(option.name) \(printable(text)): ") { () throws(RequestError) in
        throw RequestError(no: kind, called: name, among: ports)
      }
    }
    return (name, String(text[text.index(after: equals)...]))
  }

  /// The file that a text names, and the entry behind a colon where no file is called as the whole.
  private static func open(_ text: String) throws(TensorError) -> (TensorArchive, entry: String?) {
    func isThere(_ path: String) -> Bool { (try? FileStatus(path: path)) != nil }
    let colons = text.utf8.indices.filter { text.utf8[$0] == UInt8(ascii: ":") }
    guard !isThere(text), let colon = colons.first(where: { isThere(String(text[..<$0])) }) else {
      return (try TensorArchive(contentsOf: text), nil)
    }
    return (
      try TensorArchive(contentsOf: String(text[..<colon])), String(text[text.utf8.index(after: colon)...])
    )
  }
}
