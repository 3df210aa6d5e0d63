// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The tensors that the header of a file describes, once it is known that it can be true.
///
///     8 bytes: how long the header is │ {"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, …} │ numbers
///
/// Each byte behind the header belongs to one tensor: none to two, and none to nobody.
struct TensorHeader {
  /// The bytes of the length.
  static let lengthBytes = 8
  /// The most bytes of a header.
  static let most = 1 << 24
  /// The most tensors of a file.
  static let mostTensors = 1 << 16
  /// The most axes of a tensor.
  static let mostAxes = 64
  /// The most texts that say something about the whole.
  static let mostTexts = 1 << 12
  /// The most characters of a name.
  static let longestName = 256
  static let metadataKey = "__metadata__"

  private(set) var entries: [TensorEntry] = []
  private(set) var metadata: [String: String] = [:]
  private let file: String

  /// - Parameters:
  ///   - text: the header's bytes.
  ///   - size: how many bytes follow it.
  ///   - file: the name of the file in messages.
  init(_ text: [UInt8], size: Int, file: String) throws(TensorFileError) {
    self.file = file
    var text = HeaderText(text, file: file)
    // By bytes, as names are told apart: to compare strings of strangers takes time.
    var known: Set<[UInt8]> = []
    try text.object { text, name throws(TensorFileError) in
      guard known.insert(Array(name.utf8)).inserted else {
        throw self.error(of: name, "stands twice in the header")
      }
      text.tensor = name
      if name == Self.metadataKey {
        try self.readMetadata(&text)
      } else {
        guard self.entries.count < Self.mostTensors else {
          throw TensorFileError(file, "has more than \(Self.mostTensors) tensors")
        }
        self.entries.append(try self.entry(name, &text))
      }
      text.tensor = nil
    }
    try text.end()
    try checkPlaces(size: size)
  }

  private func error(of tensor: String, _ message: String) -> TensorFileError {
    TensorFileError(file, tensor: tensor, message)
  }

  private mutating func readMetadata(_ text: inout HeaderText) throws(TensorFileError) {
    var metadata: [String: String] = [:]
    var known: Set<[UInt8]> = []
    try text.object { text, key throws(TensorFileError) in
      guard metadata.count < Self.mostTexts else { throw text.flaw("has more than \(Self.mostTexts) texts") }
      guard known.insert(Array(key.utf8)).inserted else {
        throw text.flaw("has the key \(quoted(key)) twice")
      }
      guard key.utf8.count <= Self.longestName else {
        throw text.flaw("has a key of \(key.utf8.count) bytes")
      }
      metadata[key] = try text.string()
    }
    self.metadata = metadata
  }

  private func entry(_ name: String, _ text: inout HeaderText) throws(TensorFileError) -> TensorEntry {
    guard (1...Self.longestName).contains(name.unicodeScalars.count) else {
      throw TensorFileError(
        file,
        "has a tensor whose name has \(counted(name.unicodeScalars.count, "character")), not 1 to \(Self.longestName)"
      )
    }
    var word: String?
    var shape: [Int]?
    var offsets: [Int]?
    try text.object { text, key throws(TensorFileError) in
      switch key {
      case "dtype" where word == nil: word = try text.string()
      case "shape" where shape == nil: shape = try text.numbers(most: Self.mostAxes)
      case "data_offsets" where offsets == nil: offsets = try text.numbers(most: 2)
      default: throw text.flaw("has the key \(quoted(key)), which is unknown or stands twice")
      }
    }
    guard let word, let shape, let offsets else {
      throw error(of: name, "needs 'dtype', 'shape' and 'data_offsets'")
    }
    guard let element = TensorElement(rawValue: word) else {
      throw error(of: name, "has the unknown type \(quoted(word))")
    }
    guard offsets.count == 2, offsets[0] <= offsets[1] else {
      throw error(
        of: name, "has the data_offsets \(offsets); they are two numbers, its beginning and its end")
    }
    let bytes = shape.reduce(element.width as Int?) { product, extent in
      guard let (size, overflow) = product?.multipliedReportingOverflow(by: extent) else { return nil }
      return overflow ? nil : size
    }
    guard bytes == offsets[1] - offsets[0] else {
      let size = bytes.map { counted($0, "byte") } ?? "more than \(Int.max) bytes"
      throw error(
        of: name, "of \(word) and shape \(shape) takes \(size), and has \(offsets[1] - offsets[0])")
    }
    return TensorEntry(name: name, element: element, shape: shape, bytes: offsets[0]..<offsets[1])
  }

  private func checkPlaces(size: Int) throws(TensorFileError) {
    var end = 0
    var before: String?
    let order = entries.sorted {
      ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound)
    }
    for entry in order {
      guard entry.bytes.upperBound <= size else {
        throw error(
          of: entry.name,
          "ends \(counted(entry.bytes.upperBound - size, "byte")) behind the end of the file; it is cut off")
      }
      if entry.bytes.lowerBound < end, let before {
        throw error(of: entry.name, "lies over the tensor \(quoted(before))")
      }
      guard entry.bytes.lowerBound == end else {
        throw error(
          of: entry.name,
          "begins \(counted(entry.bytes.lowerBound - end, "byte")) behind what comes before it; "
            + "a file has no gaps")
      }
      end = entry.bytes.upperBound
      before = entry.name
    }
    guard end == size else {
      throw TensorFileError(
        file, "goes on for \(counted(size - end, "byte")) behind its last tensor; a file has no gaps")
    }
  }
}
