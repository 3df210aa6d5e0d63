// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ProtobufWire
package import TensorFiles

/// The reader of files that hold tensors of a model: it knows the folder, and what strangers may see of it.
package typealias ONNXExternalFiles = (_ path: String) -> Result<FileReader, ONNXError>

/// The numbers of a file's tensors.
final class ONNXSource {
  private let file: FileReader
  /// The same, for numbers that stand in fields.
  let bytes: ProtobufBytes
  private let external: ONNXExternalFiles
  private var opened: [String: FileReader] = [:]
  /// The files whose bytes count, by the parts of their paths.
  private var counted: Set<[Substring]> = []
  /// Numbers that may be read, and how many of them were: one for each byte of the files, and some more, since several
  /// tensors may lie on the same bytes.
  private var most: Int
  private var read = 0
  /// Numbers that may still be made of others, or of shapes.
  private var room = 1 << 24
  /// Transposed constants, so that a weight that many products read is there once, each with its base, which has to stay.
  private var transposed: [Transposition: (of: Numbers, constant: ONNXConstant)] = [:]
  /// The names that were given to it.
  private var transposedNames: Set<String> = []

  private struct Transposition: Hashable {
    let numbers: ObjectIdentifier
    let shape, order: [Int]
  }

  /// - Parameter external: opens the files beside the model's own that tensors name.
  init(_ file: FileReader, external: @escaping ONNXExternalFiles) {
    (self.file, bytes, self.external) = (file, ProtobufBytes(file), external)
    most = min(Limits.weights, 1 << 27 + file.count)
  }

  /// Takes room for numbers that are made while translating: each that is read may be made anew twice.
  func take(_ count: Int) throws(ONNXError) {
    guard count <= room else {
      throw ONNXError(
        "too many numbers would be made of its constants; a simplifier such as onnxsim writes them out")
    }
    room -= count
  }

  /// The constant with axis order[i] as axis i.
  func transpose(_ constant: ONNXConstant, _ order: [Int]) throws(ONNXError) -> ONNXConstant {
    let (shape, strides) = (order.map { constant.shape[$0] }, constant.shape.rowMajorStrides)
    func made() throws(ONNXError) -> ONNXConstant {
      try take(constant.count)
      var result = try constant.strided(shape, order.map { strides[$0] })
      if let name = constant.name {
        // Transposed twice, it is not called as the tensor of the file again, which others read as it is: a product has an
        // array of its own then, in the order in which it reads it.
        let isAgain = transposedNames.contains(name)
        let transposed = order.count == 2 && !isAgain ? name.transposedName : "\(name).T"
        transposedNames.insert(transposed)
        result.name = transposed
      }
      return result
    }
    guard case .floats(let numbers) = constant.content else { return try made() }
    let key = Transposition(numbers: ObjectIdentifier(numbers), shape: constant.shape, order: order)
    if let known = transposed[key] { return known.constant }
    let result = try made()
    transposed[key] = (numbers, result)
    return result
  }

  /// The tensor with its numbers.
  func constant(_ tensor: ONNXTensor) throws(ONNXError) -> ONNXConstant {
    let what = tensor.name.isEmpty ? "a tensor" : "the tensor \(quoted(tensor.name))"
    guard let element = tensor.element, element.kind != .unknown else {
      throw ONNXError("\(what) holds texts, complex numbers or floats of 8 bits, which are not known")
    }
    let shape = tensor.shape.map { Int(clamping: $0) }
    let count = try shape.numbers(of: what)
    let content: ONNXConstant.Content
    switch tensor.storage {
    case .raw(let range):
      try takeToRead(count)
      content = try raw(file, range, element, count, what)
    case .external(let path, let offset, let length):
      let (reader, range) = try part(path, offset, length ?? Self.bytes(count, element), what)
      try takeToRead(count)
      content = try raw(reader, range, element, count, what)
    case .fields(let integers, let floats, let doubles):
      try takeToRead(count)
      content = try fields(integers, floats, doubles, element, count, what)
    }
    return ONNXConstant(element, shape, content, name: tensor.name.isEmpty ? nil : tensor.name)
  }

  private func takeToRead(_ count: Int) throws(ONNXError) {
    guard count <= most - read else {
      throw ONNXError("its tensors have too many numbers; \(most) are the most")
    }
    read += count
    room += 2 * count
  }

  /// A part of a file beside the model's own.
  private func part(
    _ path: String, _ offset: Int, _ length: Int, _ what: String
  ) throws(ONNXError) -> (FileReader, Range<Int>) {
    let reader: FileReader
    if let known = opened[path] {
      reader = known
    } else {
      reader = try external(path).get()
      opened[path] = reader
      // Under one of its names.
      if counted.insert(path.split(separator: "/").filter { $0 != "." }).inserted {
        most = min(Limits.weights, most + reader.count)
      }
    }
    guard offset <= reader.count, length <= reader.count - offset else {
      throw ONNXError(
        "\(what) would be \(length) bytes from byte \(offset) of \(quoted(path)), which has \(reader.count)")
    }
    return (reader, offset..<offset + length)
  }

  /// The bytes of numbers as they are stored raw.
  static func bytes(_ count: Int, _ element: ONNXElement) -> Int {
    if let width = element.width { return count * width }
    return switch element {
    case .uint2, .int2: (count + 3) / 4
    default: (count + 1) / 2
    }
  }
}
