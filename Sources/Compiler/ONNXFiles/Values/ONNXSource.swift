// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ProtobufWire
package import TensorFiles

/// The reader of files that hold tensors of a model: it knows the folder, and what strangers may see of it.
package typealias ONNXExternalFiles = (_ path: String) -> Result<FileReader, ONNXError>

/// The numbers of a file's tensors.
final class ONNXSource {
  let bytes: [UInt8]
  private let external: ONNXExternalFiles
  private var opened: [String: FileReader] = [:]
  /// Numbers that may still be read.
  private var unread = Limits.weights
  /// Numbers that may still be made of others, or of shapes.
  private var room = 1 << 24

  /// - Parameter external: opens the files beside the model's own that tensors name.
  init(_ bytes: [UInt8], external: @escaping ONNXExternalFiles) {
    (self.bytes, self.external) = (bytes, external)
  }

  /// Takes room for numbers that are made while translating: each that is read may be made anew twice.
  func take(_ count: Int) throws(ONNXError) {
    guard count <= room else {
      throw ONNXError(
        "too many numbers would be made of its constants; a simplifier such as onnxsim writes them out")
    }
    room -= count
  }

  /// The tensor with its numbers.
  func constant(_ tensor: ONNXTensor) throws(ONNXError) -> ONNXConstant {
    let what = tensor.name.isEmpty ? "a tensor" : "the tensor \(quoted(tensor.name))"
    guard let element = tensor.element, element.kind != .unknown else {
      throw ONNXError("\(what) holds texts, complex numbers or floats of 8 bits, which are not known")
    }
    let shape = tensor.shape.map { Int(clamping: $0) }
    guard shape.count <= Limits.rank, let count = shape.numbers else {
      throw ONNXError(
        "\(what) would have the shape \(shape); \(Limits.rank) axes and \(Limits.elements) numbers are the most"
      )
    }
    guard count <= unread else {
      throw ONNXError("its tensors have too many numbers; \(Limits.weights) are the most")
    }
    unread -= count
    room += 2 * count
    let content: ONNXConstant.Content
    switch tensor.storage {
    case .raw(let range):
      content = try raw(bytes, range, element, count, what)
    case .external(let path, let offset, let length):
      let part = try externalBytes(path, offset, length ?? Self.bytes(count, element), what)
      content = try raw(part, 0..<part.count, element, count, what)
    case .fields(let integers, let floats, let doubles):
      content = try fields(integers, floats, doubles, element, count, what)
    }
    return ONNXConstant(element, shape, content, name: tensor.name.isEmpty ? nil : tensor.name)
  }

  private func externalBytes(
    _ path: String, _ offset: Int, _ length: Int, _ what: String
  ) throws(ONNXError) -> [UInt8] {
    let reader: FileReader
    if let known = opened[path] {
      reader = known
    } else {
      reader = try external(path).get()
      opened[path] = reader
    }
    guard offset <= reader.count, length <= reader.count - offset else {
      throw ONNXError(
        "\(what) would be \(length) bytes from byte \(offset) of \(quoted(path)), which has \(reader.count)")
    }
    do throws(TensorFileError) {
      return try TensorFile.bytes(offset..<offset + length, of: reader, file: path)
    } catch {
      throw ONNXError(error.description)
    }
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
