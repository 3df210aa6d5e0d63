// SPDX-License-Identifier: Apache-2.0

package import Legato
internal import TensorFiles

/// Arrays by their names, in their order.
package struct ArrayRecord: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package let name: String
    package let array: MessageArray

    package init(_ name: String, _ array: MessageArray) { (self.name, self.array) = (name, array) }
  }

  package var items: [Item]

  package init(_ items: [Item] = []) { self.items = items }
}

/// An array of a message: an npy file, with what it says of itself.
///
/// Messages of old strategies leave element and shape out; then the npy file alone says them.
package struct MessageArray: Hashable, Sendable {
  /// The kind of its numbers, as NumPy calls it: `float32`.
  package let element: String
  package let shape: [Int]
  /// How the bytes are to be read: `numpy.ndarray`.
  package let form: String
  package let data: [UInt8]

  /// The form of an npy file.
  static let npy = "numpy.ndarray"

  package init(element: String, shape: [Int], form: String, data: [UInt8]) {
    (self.element, self.shape, self.form, self.data) = (element, shape, form, data)
  }

  /// - Parameter isNamed: whether element and shape are said; old strategies leave them out.
  package init(_ tensor: Tensor, isNamed: Bool = true) {
    self.init(
      element: isNamed ? "float32" : "", shape: isNamed ? tensor.shape : [], form: Self.npy, data: tensor.npy)
  }

  /// The numbers, as floats of 32 bits.
  ///
  /// - Parameter name: what a message calls the array.
  /// - Throws: `FederatedError.answer` where the bytes are no npy file, or one of another shape than said.
  package func tensor(named name: String) throws(FederatedError) -> Tensor {
    guard form == Self.npy else {
      throw .answer(
        "the array \(quotedShort(name)) has the form \(quotedShort(form)); only 'numpy.ndarray' is read")
    }
    do throws(TensorFileError) {
      let file = try ArrayFile(FileReader(data), file: name)
      guard case .array = file else { throw TensorFileError(name, "is no npy file") }
      let array = try file.array("")
      guard element.isEmpty || array.shape == shape else {
        throw TensorFileError(name, "is said to be \(shape), and its file is \(array.shape)")
      }
      return Tensor(array)
    } catch {
      throw .answer("the array \(quotedShort(name)) \(error.message)")
    }
  }
}
