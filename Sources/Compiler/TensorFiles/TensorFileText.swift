// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// Arrays on their way into a safetensors file, in order, as 32-bit floats.
package struct TensorFileText: Sendable {
  package var tensors: [Weights]
  /// Texts by their keys.
  package var metadata: [String: String]

  /// Precondition: no two of the arrays have one name, and each has as many numbers as its shape says.
  package init(_ tensors: [Weights], metadata: [String: String] = [:]) {
    precondition(
      Set(tensors.map(\.name)).count == tensors.count, "tensors of one file have names of their own")
    precondition(
      tensors.allSatisfy { Shape($0.shape).count == $0.values.count }, "a shape tells how many numbers")
    (self.tensors, self.metadata) = (tensors, metadata)
  }

  /// The length and the header, padded so that the numbers begin at a multiple of 8.
  private var header: [UInt8] {
    var members: [String] = []
    if !metadata.isEmpty {
      let texts = metadata.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value.asJSON)" }
      members.append("\(TensorHeader.metadataKey.asJSON):{\(texts.joined(separator: ","))}")
    }
    var place = 0
    for tensor in tensors {
      let shape = tensor.shape.map(String.init).joined(separator: ",")
      let end = place + tensor.values.count * MemoryLayout<Float>.stride
      members.append(
        "\(tensor.name.asJSON):{\"dtype\":\"F32\",\"shape\":[\(shape)],\"data_offsets\":[\(place),\(end)]}")
      place = end
    }
    var text = Array("{\(members.joined(separator: ","))}".utf8)
    while !text.count.isMultiple(of: 8) { text.append(UInt8(ascii: " ")) }
    let length = UInt64(text.count)
    return (0..<TensorHeader.lengthBytes).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text
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
    let header = FileBytes(header)
    unsafe try body(header.bytes)
    for tensor in tensors { unsafe try body(tensor.values.unsafeBytes) }
  }
}
