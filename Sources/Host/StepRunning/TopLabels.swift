// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
internal import TensorFiles

/// The labels of a classifier's largest numbers.
///
///     scores [3, 5], 5 labels, the top 2     ─▶     for each of 3 rows the 2 largest, with their labels
public struct TopLabels: Sendable {
  /// A label, and its number.
  public struct Label: Hashable, Sendable, Encodable {
    public let label: String
    /// The position along the last axis.
    public let index: Int
    /// Nil, and null in JSON, where it is not finite.
    public let value: Float?

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(label, forKey: .label)
      try container.encode(index, forKey: .index)
      try container.encode(value, forKey: .value)
    }

    private enum CodingKeys: CodingKey {
      case label, index, value
    }
  }

  private let count: Int
  /// By the names of outputs.
  private let labels: [String: [String]]
  /// The outputs whose labels the model has itself, and its file.
  private let own: Set<String>
  private let file: String
  /// The files of labels that are named.
  let paths: [String]

  /// - Parameters:
  ///   - count: how many labels of a row there shall be.
  ///   - texts: files of labels, as `FILE`, or `NAME=FILE` of one output.
  init(_ count: Int, _ texts: [String], of model: Model) throws {
    guard count >= 1 else { throw RequestError("\(.top) \(count): there is one label at least") }
    var labels: [String: [String]] = [:]
    for output in model.outputs { labels[output] = model.labels(of: output) }
    let named = try Self.labels(texts, of: model)
    labels.merge(named.mapValues(\.labels)) { $1 }
    guard !labels.isEmpty else {
      throw RequestError(
        "\(.top) names what the model has labels for, and it has none; \(.labels) FILE gives them")
    }
    (self.count, self.labels, paths) = (count, labels, named.values.map(\.path))
    own = Set(labels.keys).subtracting(named.keys)
    file = model.stages.last?.file ?? model.name
  }

  /// Throws where there are not as many labels as numbers, before anything is run.
  func check(_ compilation: Compilation) throws {
    for port in compilation.layout.outputs {
      guard let labels = labels[port.name], labels.count != port.shape.last else { continue }
      let fit = "there is a label for each number along the last axis"
      guard !own.contains(port.name) else {
        throw TensorError.unreadable(
          path: file,
          reason:
            "the model has \(counted(labels.count, "label")) for the output \(quoted(port.name)), and its shape is "
            + "\(port.shape); \(fit)")
      }
      throw RequestError(
        "\(.labels): there are \(counted(labels.count, "label")) for the output \(quoted(port.name)), and its "
          + "shape is \(port.shape); \(fit)"
      )
    }
  }

  package func names(_ output: String) -> Bool { labels[output] != nil }

  /// For each row along the last axis the labels of its largest numbers, the largest first; nil for an output without.
  public func rows(of tensor: Tensor, _ output: String) -> [[Label]]? {
    guard let labels = labels[output], tensor.shape.last == labels.count else { return nil }
    let values = tensor.values
    return stride(from: 0, to: values.count, by: labels.count).map { start in
      let row = values[start..<start + labels.count]
      // What is no number comes last, and of equal ones the first.
      func key(_ place: Int) -> (Int, Float, Int) {
        row[place].isNaN ? (0, 0, -place) : (1, row[place], -place)
      }
      let best = row.indices.sorted { key($0) > key($1) }.prefix(count)
      return best.map { place in
        Label(
          label: labels[place - start], index: place - start, value: row[place].isFinite ? row[place] : nil)
      }
    }
  }

  /// The labels of files, by the outputs that they are for.
  package static func labels(
    _ texts: [String], of model: Model
  ) throws -> [String: (path: String, labels: [String])] {
    var labels: [String: (path: String, labels: [String])] = [:]
    let ports = PortNames(outputsOf: model)
    for text in texts {
      let (name, file) = try ports.parts(text, of: .labels)
      guard !file.isEmpty else { throw RequestError("\(.labels) \(printable(text)): a file is missing") }
      guard let output = name ?? ports.single else {
        throw RequestError(
          "\(.labels) \(printable(text)): the model has the outputs \(ports.list); say which is meant: "
            + "\(.labels) \(ports.all[0])=\(printable(text))"
        )
      }
      guard labels[output] == nil else {
        throw RequestError("\(.labels) \(printable(text)): the output \(quoted(output)) has labels twice")
      }
      labels[output] = (file, try Model.labels(contentsOf: file))
    }
    return labels
  }

  /// The position of a row along all axes but the last.
  package static func position(ofRow row: Int, in tensor: Tensor) -> [Int] {
    FloatArray.position(of: row, in: Array(tensor.shape.dropLast()))
  }
}
