// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// Arrays on their way into a safetensors file, in order, as 32-bit floats.
package struct TensorFileText: Sendable {
  package let tensors: [Weights]
  /// The length and the header, padded so that the numbers begin at a multiple of 8.
  private let header: [UInt8]

  /// - Parameters:
  ///   - metadata: texts by their keys.
  ///   - file: the name of the file in messages.
  /// - Throws: `TensorFileError` where a reader of the file would refuse it.
  package init(
    _ tensors: [Weights], metadata: [String: String] = [:], file: String = "the file"
  ) throws(TensorFileError) {
    self.tensors = tensors
    var members: [String] = []
    if !metadata.isEmpty {
      let texts = metadata.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value.asJSON)" }
      members.append("\(TensorHeader.metadataKey.asJSON):{\(texts.joined(separator: ","))}")
    }
    var place = 0
    for tensor in tensors {
      guard tensor.name != TensorHeader.metadataKey else {
        throw TensorFileError(file, tensor: tensor.name, "has the name under which texts stand")
      }
      let shape = tensor.shape.map(String.init).joined(separator: ",")
      let end = place + tensor.values.count * MemoryLayout<Float>.stride
      members.append(
        "\(tensor.name.asJSON):{\"dtype\":\"F32\",\"shape\":[\(shape)],\"data_offsets\":[\(place),\(end)]}")
      place = end
    }
    var text = Array("{\(members.joined(separator: ","))}".utf8)
    while !text.count.isMultiple(of: 8) { text.append(UInt8(ascii: " ")) }
    guard text.count <= TensorHeader.most else {
      throw TensorFileError(
        file, "would have a header of \(text.count) bytes; \(TensorHeader.most) are the most")
    }
    // Who reads it knows what is allowed.
    _ = try TensorHeader(text, size: place, file: file)
    let length = UInt64(text.count)
    header = (0..<TensorHeader.lengthBytes).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text
  }

  /// All of the file, for what is small.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    unsafe write { unsafe bytes += $0 }
    return bytes
  }

  /// Hands the parts of the file out, one after the other; no number is copied.
  package func write<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let span = header.span
    try unsafe span.withUnsafeBytes { header throws(Failure) in try unsafe body(header) }
    for tensor in tensors { unsafe try tensor.values.withUnsafeBytes(body) }
  }
}
