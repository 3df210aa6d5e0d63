// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
package import Legato

/// The tensors of files that a request names, by the inputs, or outputs, that they are for.
///
///     x=in.npz:audio     NAME=FILE:ENTRY
///     x=in.npz           the entry x, or the only one
///     in.npz             all entries that are called as inputs, or the only one for the only input
///     x=cat.png          a picture, for an input that takes one; several are as many steps, or a batch
struct GivenTensors {
  private struct Given {
    let port: String
    let content: Content

    var path: String {
      switch content {
      case .tensor(let archive, _): archive.path
      case .images(let files, _): files[0].path + (files.count > 1 ? " and \(files.count - 1) more" : "")
      }
    }
  }

  private enum Content {
    case tensor(TensorArchive, entry: String?)
    case images([ImageFile], ImageForm)
  }

  private var all: [Given] = []
  private let part: RequestError.Name
  private let ports: PortNames
  /// How pictures become tensors, by the ports that take them; nil where no port takes any.
  private let forms: [String: ImageForm]?

  /// - Parameter forms: how pictures become tensors, by the ports that take them; nil where they are not read.
  init(
    _ texts: [String], _ part: RequestError.Name, for ports: PortNames, forms: [String: ImageForm]? = nil
  ) throws {
    (self.part, self.ports, self.forms) = (part, ports, forms)
    for text in texts {
      let before = all.count
      try take(text)
      joinPictures()
      for given in all[min(before, all.count)...] where all.count(where: { $0.port == given.port }) > 1 {
        throw RequestError(
          "\(part) \(printable(text)): the \(ports.kind) \(quoted(given.port)) is given twice")
      }
    }
  }

  var isEmpty: Bool { all.isEmpty }
  var names: [String] { all.map(\.port) }
  /// The files.
  var paths: [String] {
    all.flatMap { given in
      switch given.content {
      case .tensor(let archive, _): [archive.path]
      case .images(let files, _): files.map(\.path)
      }
    }
  }

  /// A picture for what was given one already goes behind that.
  private mutating func joinPictures() {
    guard let last = all.last, case .images(let more, let form) = last.content,
      let row = all.dropLast().firstIndex(where: { $0.port == last.port }),
      case .images(let files, _) = all[row].content
    else { return }
    all[row] = Given(port: last.port, content: .images(files + more, form))
    all.removeLast()
  }

  /// The shapes of arrays, of which no number is read.
  ///
  /// - Throws: `TensorError` where one has no numbers.
  func shapes() throws -> [String: [Int]] {
    var shapes: [String: [Int]] = [:]
    for given in all {
      guard case .tensor(let archive, let entry) = given.content else { continue }
      let shape = try archive.shape(entry)
      guard !shape.contains(0) else {
        throw TensorError.unreadable(
          path: given.path,
          reason: "the array for the \(ports.kind) \(quoted(given.port)) is \(shape), which has no numbers")
      }
      shapes[given.port] = shape
    }
    return shapes
  }

  /// The shapes that pictures get.
  ///
  /// - Parameters:
  ///   - inputs: those that they may be for.
  ///   - extents: of named axes, as far as they are known; others get the size of a picture.
  func shapes(ofPicturesFor inputs: [Model.Input], extents: [String: Int]) throws -> [String: [Int]] {
    var shapes: [String: [Int]] = [:]
    for given in all {
      guard case .images(let files, let form) = given.content,
        let input = inputs.first(where: { $0.name == given.port })
      else { continue }
      shapes[given.port] = try ImageFile.shape(of: files, for: input, as: form, extents: extents)
    }
    return shapes
  }

  /// - Parameters:
  ///   - shapes: those of pictures.
  ///   - rows: how many positions of the first axis are wanted, by the ports of which not all are.
  func tensors(_ shapes: [String: [Int]] = [:], rows: [String: Int] = [:]) throws(TensorError) -> [String:
    Tensor]
  {
    var tensors: [String: Tensor] = [:]
    for given in all {
      tensors[given.port] =
        switch given.content {
        case .tensor(let archive, let entry): try archive.tensor(entry, rows: rows[given.port])
        case .images(let files, let form):
          try ImageFile.tensor(of: files, shape: shapes[given.port] ?? [], as: form)
        }
    }
    return tensors
  }

  /// The file that a port's tensor comes from.
  func path(of port: String) -> String { all.first { $0.port == port }?.path ?? "" }

  /// Whether a port's tensor comes from a picture.
  func isImage(_ port: String) -> Bool {
    all.contains { given in
      if case .images = given.content { given.port == port } else { false }
    }
  }

  private mutating func take(_ text: String) throws {
    func refusal(_ reason: RequestError.Message) -> RequestError {
      RequestError("\(part) \(printable(text)): \(reason)")
    }
    guard !text.isEmpty else { throw RequestError("\(part) takes a file, and this is empty") }
    let (kind, known) = (ports.kind, ports.list)
    let (name, file) = try ports.parts(text, of: part)
    guard !file.isEmpty else { throw refusal("a file is missing behind the equals sign") }
    if let forms, try isPicture(file) {
      guard let port = name ?? ports.single else {
        throw refusal(
          ports.all.isEmpty
            ? "the model has no \(kind)s"
            : "the model has the \(kind)s \(known); say which is meant: \(part) \(ports.all[0])=\(printable(text))"
        )
      }
      guard let form = forms[port] else {
        throw refusal(
          "this is a picture, and the \(kind) \(quoted(port)) takes an array; say how it becomes one, such as "
            + "\(.image) \(port)=RGB,[0,1] or \(.image) \(port)=RGB,ImageNet"
        )
      }
      all.append(Given(port: port, content: .images([try ImageFile(contentsOf: file)], form)))
      return
    }
    let (archive, entry) = try open(file, for: name ?? ports.single)
    if let name {
      // The entry that is called as the port, or else the only one.
      let named = archive.names.first { ports.port($0) == name }
      all.append(Given(port: name, content: .tensor(archive, entry: entry ?? named)))
      return
    }
    let found = entry == nil ? archive.names.filter { ports.port($0) != nil } : []
    guard found.isEmpty else {
      if part == .expect, let other = archive.names.first(where: { ports.port($0) == nil }) {
        throw refusal(
          "the file has \(quoted(other)), and no output is called so; the model has \(known); NAME=FILE compares one of them"
        )
      }
      all += found.map { Given(port: ports.port($0)!, content: .tensor(archive, entry: $0)) }
      return
    }
    guard !ports.all.isEmpty else { throw refusal("the model has no \(kind)s") }
    guard let port = ports.single else {
      throw refusal(
        archive.names.isEmpty || entry != nil
          ? "the model has the \(kind)s \(known); say which is meant: \(part) \(ports.all[0])=\(printable(text))"
          : "no tensor of the file is called as one of the \(kind)s \(known)")
    }
    all.append(Given(port: port, content: .tensor(archive, entry: entry)))
  }

  /// Whether a file is there that begins as pictures do; where there is none, a part of the text may still be one.
  private func isPicture(_ path: String) throws(TensorError) -> Bool {
    guard (try? FileStatus(path: path)) != nil else { return false }
    return try ImageFile.describes(path)
  }

  /// The file that a text names, and the entry behind a colon where no file is called as the whole.
  private func open(
    _ text: String, for port: String?
  ) throws(TensorError) -> (TensorArchive, entry: String?) {
    do throws(TensorError) { return try TensorArchive.opened(text) } catch {
      // Of what is called as no file of arrays is, a picture was meant where the port takes one.
      let isArray = [".npy", ".npz", ".safetensors"].contains { text.hasSuffix($0) }
      if let port, forms?[port] != nil, !isArray { _ = try ImageFile(contentsOf: text) }
      throw error
    }
  }
}

extension TensorArchive {
  /// The file that a text names, and the entry behind a colon where no file is called as the whole.
  package static func opened(_ text: String) throws(TensorError) -> (TensorArchive, entry: String?) {
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
