// SPDX-License-Identifier: Apache-2.0

/// Bytes that are read as numbers and names, each read checked against the end.
struct LittleEndianBytes {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// The number whose lowest byte stands at an offset.
  func number<Number: FixedWidthInteger & UnsignedInteger>(
    at offset: Int, as type: Number.Type = Number.self
  ) throws(NativeCodeError) -> Number {
    let width = Number.bitWidth / 8
    let field = try part(at: UInt64(offset), count: UInt64(width), what: "a number")
    return field.bytes.reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  /// A part of these bytes; `what` names it in the error.
  func part(at offset: UInt64, count: UInt64, what: String) throws(NativeCodeError) -> LittleEndianBytes {
    let (end, overflows) = offset.addingReportingOverflow(count)
    guard !overflows, end <= UInt64(bytes.count) else {
      throw .damagedObject("\(what) at byte \(offset) of \(bytes.count) reaches beyond the end")
    }
    let start = bytes.startIndex
    return LittleEndianBytes(bytes[(start + Int(offset))..<(start + Int(end))])
  }

  /// The text from an offset up to the next 0.
  func name(at offset: UInt32) throws(NativeCodeError) -> String {
    guard let start = bytes.index(bytes.startIndex, offsetBy: Int(offset), limitedBy: bytes.endIndex),
      let end = bytes[start...].firstIndex(of: 0)
    else {
      throw .damagedObject("a name at byte \(offset) of \(bytes.count) has no end")
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
