// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The header of an npy array, read in the words of Python in which NumPy writes it, and in no others.
///
///     \x93NUMPY  1 0  118  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      ⏎ │ numbers
///     mark    version  length, of 2 bytes in version 1, of 4 in versions 2 and 3
struct NumPyHeader {
  static let mark: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// The most bytes of the words.
  static let most = 1 << 16

  let element: NumPyElement
  /// Whether the numbers of the first axis stand side by side.
  let isFortran: Bool
  let shape: [Int]
  /// How many numbers there are.
  let count: Int

  /// Reads it from the beginning of an array.
  init(_ bytes: ArrayBytes) throws(TensorFileError) {
    let start = try bytes.next(Self.mark.count + 2, "its beginning")
    guard start.starts(with: Self.mark) else { throw bytes.error("is no npy array") }
    let version = start[Self.mark.count]
    guard (1...3).contains(version) else {
      throw bytes.error("is of version \(version) of npy; versions 1 to 3 are read")
    }
    let length = try bytes.next(version == 1 ? 2 : 4, "its beginning").reversed().reduce(0) {
      $0 << 8 | Int($1)
    }
    guard length <= Self.most else {
      throw bytes.error("has a header of \(length) bytes; \(Self.most) are the most")
    }
    var words = Words(try bytes.next(length, "its header"), bytes)
    (element, isFortran, shape) = try words.description()
    guard let count = FloatArray.count(of: shape), count <= FloatArray.mostNumbers else {
      throw bytes.error(
        "of shape \(shape) has more than \(FloatArray.mostNumbers) numbers, which are the most")
    }
    self.count = count
    let (size, rest) = (count * element.width, bytes.count - bytes.place)
    guard size <= rest else {
      throw bytes.error(
        "is cut off: of shape \(shape) it takes \(counted(size, "byte")), and \(rest) are there")
    }
    guard size == rest else {
      throw bytes.error("goes on for \(counted(rest - size, "byte")) behind its last number")
    }
  }
}

/// A cursor in the words of a header.
private struct Words {
  private let text: [UInt8]
  private var offset = 0
  private let bytes: ArrayBytes

  init(_ text: [UInt8], _ bytes: ArrayBytes) { (self.text, self.bytes) = (text, bytes) }

  private func expected(_ what: String) -> TensorFileError {
    let found =
      switch text[offset...].first {
      case nil: "its end"
      case UInt8(ascii: "'"): "an apostrophe"
      case let byte?: byte < 0x80 ? quoted(UnicodeScalar(byte)) : "a byte above 127"
      }
    return bytes.error("has \(found) where \(what) should be, at byte \(offset) of the header")
  }

  /// Goes behind a word where it comes next.
  private mutating func skips(_ word: String) -> Bool {
    while offset < text.count, [0x20, 0x0A].contains(text[offset]) { offset += 1 }
    guard text[offset...].starts(with: word.utf8) else { return false }
    offset += word.utf8.count
    return true
  }

  private mutating func take(_ word: String) throws(TensorFileError) {
    guard skips(word) else { throw expected("'\(word)'") }
  }

  mutating func description() throws(TensorFileError) -> (NumPyElement, isFortran: Bool, shape: [Int]) {
    var element: NumPyElement?
    var isFortran: Bool?
    var shape: [Int]?
    try take("{")
    while !skips("}") {
      switch try string() {
      case "descr" where element == nil:
        try take(":")
        if skips("[") {
          throw bytes.error("holds records of several values; save each as an array of its own")
        }
        let word = try string()
        guard let known = NumPyElement(word) else { throw bytes.error(NumPyElement.refusal(of: word)) }
        element = known
      case "fortran_order" where isFortran == nil:
        try take(":")
        isFortran = skips("True")
        if isFortran == false { try take("False") }
      case "shape" where shape == nil:
        try take(":")
        shape = try extents()
      case let key:
        throw bytes.error("has the key \(quoted(key)) in its header, which is unknown or stands twice")
      }
      guard skips(",") else {
        try take("}")
        break
      }
    }
    guard skips(""), offset == text.count else { throw expected("its end") }
    guard let element, let isFortran, let shape else {
      throw bytes.error("needs 'descr', 'fortran_order' and 'shape' in its header")
    }
    return (element, isFortran, shape)
  }

  /// Whole numbers between brackets: (), (2,) or (2, 3).
  private mutating func extents() throws(TensorFileError) -> [Int] {
    try take("(")
    var extents: [Int] = []
    while !skips(")") {
      guard extents.count < TensorHeader.mostAxes else {
        throw bytes.error("has more than \(TensorHeader.mostAxes) axes")
      }
      let start = offset
      while offset < text.count, (0x30...0x39).contains(text[offset]) { offset += 1 }
      guard offset > start else { throw expected("a whole number") }
      guard let extent = Int(String(decoding: text[start..<offset], as: UTF8.self)) else {
        throw bytes.error("has an axis that is too long")
      }
      extents.append(extent)
      guard skips(",") else {
        try take(")")
        break
      }
    }
    return extents
  }

  /// A text between marks of one kind; NumPy writes none that has marks in it.
  private mutating func string() throws(TensorFileError) -> String {
    guard let mark = ["'", "\""].first(where: { skips($0) })?.utf8.first else { throw expected("a string") }
    guard let end = text[offset...].firstIndex(of: mark) else {
      offset = text.count
      throw expected("the end of a string")
    }
    defer { offset = end + 1 }
    return String(decoding: text[offset..<end], as: UTF8.self)
  }
}
