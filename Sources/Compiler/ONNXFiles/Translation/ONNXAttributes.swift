// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The attributes of a node, each as what it should be.
struct ONNXAttributes {
  private let all: [String: ONNXAttribute]

  init(_ all: [String: ONNXAttribute]) { self.all = all }

  func has(_ name: String) -> Bool { all[name] != nil }

  private func mismatch(_ name: String, _ expected: String) -> ONNXError {
    ONNXError("the attribute \(quoted(name)) must be \(expected)")
  }

  func integer(_ name: String) throws(ONNXError) -> Int? {
    switch all[name] {
    case nil: return nil
    case .integer(let number): return Int(number)
    default: throw mismatch(name, "an integer")
    }
  }

  func integer(_ name: String, _ standard: Int) throws(ONNXError) -> Int { try integer(name) ?? standard }

  /// An integer that is 0 or 1.
  func flag(_ name: String, _ standard: Bool = false) throws(ONNXError) -> Bool {
    try integer(name).map { $0 != 0 } ?? standard
  }

  func float(_ name: String) throws(ONNXError) -> Double? {
    switch all[name] {
    case nil: return nil
    case .float(let number): return Double(number)
    default: throw mismatch(name, "a float")
    }
  }

  func float(_ name: String, _ standard: Double) throws(ONNXError) -> Double { try float(name) ?? standard }

  func text(_ name: String, _ standard: String) throws(ONNXError) -> String {
    switch all[name] {
    case nil: return standard
    case .text(let text): return text
    default: throw mismatch(name, "a text")
    }
  }

  func integers(_ name: String) throws(ONNXError) -> [Int]? {
    switch all[name] {
    case nil: return nil
    case .integers(let numbers): return numbers.map { Int($0) }
    // An empty list that does not say its kind.
    case .floats(let numbers) where numbers.isEmpty: return []
    default: throw mismatch(name, "a list of integers")
    }
  }

  func floats(_ name: String) throws(ONNXError) -> [Double]? {
    switch all[name] {
    case nil: return nil
    case .floats(let numbers): return numbers.map { Double($0) }
    default: throw mismatch(name, "a list of floats")
    }
  }

  func texts(_ name: String) throws(ONNXError) -> [String]? {
    switch all[name] {
    case nil: return nil
    case .texts(let texts): return texts
    default: throw mismatch(name, "a list of texts")
    }
  }

  func tensor(_ name: String) throws(ONNXError) -> ONNXTensor? {
    switch all[name] {
    case nil: return nil
    case .tensor(let tensor): return tensor
    default: throw mismatch(name, "a tensor")
    }
  }

  func graph(_ name: String) throws(ONNXError) -> ONNXGraph {
    switch all[name] {
    case .graph(let graph): return graph
    default: throw mismatch(name, "a graph")
    }
  }

  /// The number that a name of a kind of numbers stands for.
  func element(_ name: String) throws(ONNXError) -> ONNXElement? {
    guard let number = try integer(name) else { return nil }
    guard let element = ONNXElement(rawValue: number), element.kind != .unknown else {
      throw ONNXError("the attribute \(quoted(name)) is \(number), a kind of numbers that is not known")
    }
    return element
  }
}
