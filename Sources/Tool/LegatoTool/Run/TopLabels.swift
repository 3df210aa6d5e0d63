// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

/// The labels of a classifier's largest numbers.
///
///     scores [3, 5], 5 labels, --top 2     ─▶     for each of 3 rows the 2 largest, with their labels
struct TopLabels {
  struct Label: Encodable {
    let label: String
    /// The position along the last axis.
    let index: Int
    /// Null where it is not finite.
    let value: Float?

    func encode(to encoder: any Encoder) throws {
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
  /// The files that `--labels` names.
  let paths: [String]

  /// - Parameter arguments: with `--top` and `--labels`; nil where neither is there.
  init?(_ arguments: Arguments, _ model: Model) throws {
    guard let count = try arguments.integer(.top, in: 1...1_000_000) else {
      guard !arguments.has(.labels) else { throw Failure.usage("--labels goes with --top N") }
      return nil
    }
    var labels: [String: [String]] = [:]
    for output in model.outputs { labels[output] = model.labels(of: output) }
    let named = try arguments.labels(of: model)
    labels.merge(named.mapValues(\.labels)) { $1 }
    guard !labels.isEmpty else {
      throw Failure.usage(
        "--top names what the model has labels for, and it has none; --labels FILE gives them")
    }
    (self.count, self.labels, paths) = (count, labels, named.values.map(\.path))
    own = Set(labels.keys).subtracting(named.keys)
    file = model.stages.last?.file ?? model.name
  }

  /// Throws where there are not as many labels as numbers, before anything is run.
  func check(_ compilation: Compilation) throws(Failure) {
    for port in compilation.layout.outputs {
      guard let labels = labels[port.name], labels.count != port.shape.last else { continue }
      let fit = "there is a label for each number along the last axis"
      guard !own.contains(port.name) else {
        throw .faults([
          "\(file): the model has \(counted(labels.count, "label")) for the output \(quoted(port.name)), and its shape is "
            + "\(port.shape); \(fit)"
        ])
      }
      throw .usage(
        "--labels: there are \(counted(labels.count, "label")) for the output \(quoted(port.name)), and its shape is "
          + "\(port.shape); \(fit)")
    }
  }

  func names(_ output: String) -> Bool { labels[output] != nil }

  /// For each row along the last axis the labels of its largest numbers, the largest first; nil for an output without.
  func rows(of tensor: Tensor, _ output: String) -> [[Label]]? {
    guard let labels = labels[output] else { return nil }
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

  /// A table of the outputs that have labels, and a notice for one whose numbers are no probabilities.
  func text(_ results: [String: Tensor], _ outputs: [String], path: String, _ console: Console) -> String {
    var lines: [[String]] = []
    for name in outputs {
      guard let tensor = results[name], let rows = rows(of: tensor, name) else { continue }
      if !tensor.values.allSatisfy({ (0...1).contains($0) }) {
        console.notice(
          "\(path): the numbers of \(quoted(name)) are no probabilities, which lie from 0 to 1; a softmax makes them"
        )
      }
      for (row, labels) in rows.enumerated() {
        let place = rows.count > 1 ? " \(Self.position(row, tensor.shape.dropLast()))" : ""
        for (rank, label) in labels.enumerated() {
          let value = label.value.map(shortest) ?? "not finite"
          lines.append([rank == 0 ? printable(name) + place : "", printable(label.label, limit: 256), value])
        }
      }
    }
    return console.table(lines) + "\n"
  }

  /// The position of a row along all axes but the last.
  private static func position(_ row: Int, _ shape: ArraySlice<Int>) -> [Int] {
    var (rest, position) = (row, [Int]())
    for extent in shape.reversed() {
      position.append(rest % extent)
      rest /= extent
    }
    return position.reversed()
  }
}

extension Arguments {
  /// The labels that `--labels` gives, and their files, by the outputs that they are for.
  func labels(of model: Model) throws -> [String: (path: String, labels: [String])] {
    var labels: [String: (path: String, labels: [String])] = [:]
    let ports = PortNames(outputsOf: model)
    for text in values(of: .labels) {
      let (name, file) = try ports.parts(text, of: .labels)
      guard !file.isEmpty else { throw Failure.usage("--labels \(printable(text)): a file is missing") }
      guard let output = name ?? ports.single else {
        throw Failure.usage(
          "--labels \(printable(text)): the model has the outputs \(ports.list); say which is meant: "
            + "--labels \(ports.all[0])=\(printable(text))")
      }
      guard labels[output] == nil else {
        throw Failure.usage("--labels \(printable(text)): the output \(quoted(output)) has labels twice")
      }
      labels[output] = (file, try Model.labels(contentsOf: file))
    }
    return labels
  }
}
