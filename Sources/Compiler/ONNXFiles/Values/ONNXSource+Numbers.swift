// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ProtobufWire
internal import TensorFiles

extension ONNXSource {
  func raw(
    _ file: FileReader, _ range: Range<Int>, _ element: ONNXElement, _ count: Int, _ what: String
  ) throws(ONNXError) -> ONNXConstant.Content {
    let expected = Self.bytes(count, element)
    guard range.count == expected else {
      throw ONNXError(
        "\(what) has \(counted(range.count, "byte")); \(counted(count, "number")) of its kind take \(expected)"
      )
    }
    if let stored = element.asStored {
      do throws(Numbers.Unavailable) {
        return .floats(
          try file.numbers(from: range.lowerBound, count: count, stored, subject: "\(what): its file"))
      } catch {
        throw ONNXError(error.message)
      }
    }
    let bytes: [UInt8]
    do throws(TensorFileError) {
      bytes = try TensorFile.bytes(range, of: file, file: "")
    } catch {
      throw ONNXError("\(what): its file \(error.message)")
    }
    func bits(_ index: Int, _ width: Int) -> UInt64 {
      let place = index * width
      return (0..<width).reversed().reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
    }
    switch element {
    case .double: return .doubles((0..<count).map { Double(bitPattern: bits($0, 8)) })
    case .int64: return .integers((0..<count).map { Int64(bitPattern: bits($0, 8)) })
    case .uint64:
      return .integers(
        try (0..<count).map { index throws(ONNXError) in try Self.signed(bits(index, 8), what) })
    case .int32: return .integers((0..<count).map { Int64(Int32(truncatingIfNeeded: bits($0, 4))) })
    case .uint32: return .integers((0..<count).map { Int64(bits($0, 4)) })
    case .int16: return .small(count) { Int(Int16(truncatingIfNeeded: bits($0, 2))) }
    case .uint16: return .small(count) { Int(bits($0, 2)) }
    case .int8: return .small(count) { Int(Int8(truncatingIfNeeded: bits($0, 1))) }
    case .uint8: return .small(count) { Int(bits($0, 1)) }
    case .bool: return .small(count) { bits($0, 1) != 0 ? 1 : 0 }
    case .uint4, .int4, .uint2, .int2:
      let width = element == .uint4 || element == .int4 ? 4 : 2
      return .small(count) { index in
        let byte = Int(bytes[index * width / 8])
        let part = byte >> (index * width % 8) & ((1 << width) - 1)
        return element.isUnsigned || part < 1 << (width - 1) ? part : part - 1 << width
      }
    case .float, .float16, .bfloat16, .string, .complex64, .complex128, .float8e4m3fn, .float8e4m3fnuz,
      .float8e5m2, .float8e5m2fnuz, .float4e2m1, .float8e8m0:
      preconditionFailure("a kind of numbers that is not known")
    }
  }

  func fields(
    _ integers: ProtobufNumbers, _ floats: ProtobufNumbers, _ doubles: ProtobufNumbers,
    _ element: ONNXElement,
    _ count: Int, _ what: String
  ) throws(ONNXError) -> ONNXConstant.Content {
    var whole: [Int64] = []
    var (real, double): ([Float], [Double]) = ([], [])
    do throws(ProtobufError) {
      switch element {
      case .float:
        try floats.forEachFloat(in: bytes) { number, place throws(ProtobufError) in
          guard real.count < count else { throw Self.tooMany(place, count) }
          real.append(number)
        }
      case .double:
        try doubles.forEachDouble(in: bytes) { number, place throws(ProtobufError) in
          guard double.count < count else { throw Self.tooMany(place, count) }
          double.append(number)
        }
      default:
        try integers.forEachInteger(in: bytes) { number, place throws(ProtobufError) in
          guard whole.count < count else { throw Self.tooMany(place, count) }
          whole.append(number)
        }
      }
    } catch {
      throw ONNXError("\(what): \(error.description)")
    }
    let found = max(real.count, double.count, whole.count)
    guard found == count else {
      throw ONNXError("\(what) has \(counted(found, "number")), and its shape takes \(count)")
    }
    switch element {
    case .float: return .floats(Numbers(real))
    case .double: return .doubles(double)
    case .float16:
      return .floats(count) { Float(halfBits: UInt16(truncatingIfNeeded: whole[$0])) }
    case .bfloat16:
      return .floats(count) { Float(brainBits: UInt16(truncatingIfNeeded: whole[$0])) }
    case .bool: return .integers(whole.map { $0 != 0 ? 1 : 0 })
    case .uint64:
      return .integers(
        try whole.map { number throws(ONNXError) in try Self.signed(UInt64(bitPattern: number), what) })
    case .uint4, .int4, .uint2, .int2:
      throw ONNXError("\(what) has integers of less than 8 bits in fields; save them raw")
    case .int8: return .integers(whole.map { Int64(Int8(truncatingIfNeeded: $0)) })
    case .uint8: return .integers(whole.map { Int64(UInt8(truncatingIfNeeded: $0)) })
    case .int16: return .integers(whole.map { Int64(Int16(truncatingIfNeeded: $0)) })
    case .uint16: return .integers(whole.map { Int64(UInt16(truncatingIfNeeded: $0)) })
    default: return .integers(whole)
    }
  }

  private static func tooMany(_ place: Int, _ count: Int) -> ProtobufError {
    ProtobufError(at: place, "there are more numbers than the \(count) of the shape")
  }

  private static func signed(_ bits: UInt64, _ what: String) throws(ONNXError) -> Int64 {
    guard let number = Int64(exactly: bits) else {
      throw ONNXError("\(what) holds \(bits); integers up to \(Int64.max) are known")
    }
    return number
  }
}

extension ONNXElement {
  /// The kind of floats that are read as they stand in a file; nil for others.
  fileprivate var asStored: TensorElement? {
    switch self {
    case .float: .f32
    case .float16: .f16
    case .bfloat16: .bf16
    case .uint8, .int8, .uint16, .int16, .int32, .int64, .string, .bool, .double, .uint32, .uint64,
      .complex64,
      .complex128, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4, .float4e2m1,
      .float8e8m0, .uint2, .int2:
      nil
    }
  }
}

extension ONNXConstant.Content {
  /// So many floats, by their positions.
  static func floats(_ count: Int, _ number: (Int) -> Float) -> Self {
    .floats(
      Numbers(count: count) { memory in
        for index in 0..<count { memory[index] = number(index) }
      })
  }

  /// Integers that a float holds exactly; few of them stay integers.
  fileprivate static func small(_ count: Int, _ number: (Int) -> Int) -> Self {
    count <= 4096 ? .integers((0..<count).map { Int64(number($0)) }) : .floats(count) { Float(number($0)) }
  }
}
