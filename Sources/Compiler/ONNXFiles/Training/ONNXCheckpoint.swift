// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The checkpoint of ONNX Runtime's training: which weights learn, which do not, and where the numbers of both are.
///
/// A FlatBuffer by that project's `ort_training_checkpoint.fbs`. What the optimizer remembers is known to be there, and not
/// read.
struct ONNXCheckpoint {
  /// The name that its file has beside the networks.
  static let file = "checkpoint"

  /// The tensors, whose numbers stand in the file.
  private(set) var trainable: [ONNXTensor] = []
  private(set) var frozen: [ONNXTensor] = []
  /// Whether the optimizer has made steps, and whether its user has noted something.
  private(set) var hasOptimizer = false
  private(set) var hasProperties = false
  private var isNominal = false
  private var hasOtherFile = false

  /// Whether bytes are such a file.
  static func describes(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && bytes[4..<8].elementsEqual("ODTC".utf8)
  }

  init(_ bytes: [UInt8]) throws(ONNXError) {
    func refusal(_ reason: String) -> ONNXError { ONNXError("the file \(quoted(Self.file)) \(reason)") }
    do throws(FlatTable.Damage) { try read(FlatTable(root: bytes)) } catch {
      throw refusal(error.reason)
    }
    guard !isNominal else {
      throw refusal("is a nominal one, with names and no numbers: the full one has them")
    }
    guard !hasOtherFile else {
      throw refusal("has its numbers in another file, which is not read: save it without external data")
    }
    for tensor in trainable + frozen {
      guard tensor.element == .float else {
        throw refusal(
          "has numbers of \(quoted(tensor.name)) that are no floats of 32 bits; others are not read")
      }
      guard case .external(_, _, let length) = tensor.storage, length == Self.bytes(of: tensor.shape)
      else {
        throw refusal("says that \(quoted(tensor.name)) is \(tensor.shape), and has other numbers of it")
      }
    }
  }

  /// The bytes of so many floats; nil of no shape, and of more numbers than a tensor has.
  private static func bytes(of shape: [Int64]) -> Int? {
    let most = Int64(Limits.elements)
    var count: Int64 = 1
    for extent in shape {
      guard 1...most ~= extent, count <= most / extent else { return nil }
      count *= extent
    }
    return Int(count) * MemoryLayout<Float>.stride
  }

  /// The most tensors that learn, or do not; and bytes of a name.
  private static let (mostTensors, mostNameBytes) = (1 << 16, 1 << 10)

  private mutating func read(_ root: FlatTable) throws(FlatTable.Damage) {
    guard let state = try root.table(1) else { throw FlatTable.Damage() }
    isNominal = try state.integer(2, bytes: 1) ?? 0 != 0
    hasOtherFile = try state.integer(3, bytes: 1) ?? 0 != 0
    guard !isNominal, !hasOtherFile else { return }
    trainable = try Self.tensors(state, 0)
    frozen = try Self.tensors(state, 1)
    for group in try root.tables(2) where try group.integer(1, bytes: 8) ?? 0 > 0 { hasOptimizer = true }
    if let properties = try root.table(3) {
      for kind in 0..<3 where try !properties.tables(kind).isEmpty { hasProperties = true }
    }
  }

  /// Tensors: name, notes, extents, type, bytes.
  private static func tensors(_ state: FlatTable, _ field: Int) throws(FlatTable.Damage) -> [ONNXTensor] {
    var tensors: [ONNXTensor] = []
    for table in try state.tables(field, most: mostTensors) {
      guard let name = try table.text(0, most: mostNameBytes), let range = try table.range(4, width: 1) else {
        throw FlatTable.Damage()
      }
      var tensor = ONNXTensor()
      tensor.name = name
      tensor.element = try table.integer(3, bytes: 4).flatMap {
        ONNXElement(rawValue: Int(truncatingIfNeeded: $0))
      }
      tensor.shape = try table.integers(2, most: Limits.rank)
      tensor.storage = .external(path: file, offset: range.lowerBound, length: range.count)
      tensors.append(tensor)
    }
    return tensors
  }
}
