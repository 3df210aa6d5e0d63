// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

/// The outputs of a run of steps.
struct StepResults: Encodable {
  /// The most numbers of an output that are printed as JSON.
  static let mostValues = 4096
  /// The most that are printed for people.
  private static let mostShown = 8

  struct Output: Encodable {
    let name: String
    let shape: [Int]
    /// Row-major, null where one is not finite; nil where there are too many.
    let values: [Float?]?
    /// For each row along the last axis the labels of its largest numbers; nil where they are not asked for.
    let top: [[TopLabels.Label]]?
  }

  let model: String
  let steps: Int
  let outputs: [Output]

  init(_ model: Model, steps: Int, _ results: [String: Tensor], _ top: TopLabels?) {
    self.model = model.name
    self.steps = steps
    outputs = model.outputs.compactMap { name in
      results[name].map { tensor in
        let values = tensor.values
        return Output(
          name: name, shape: tensor.shape,
          values: values.count > Self.mostValues ? nil : values.map { $0.isFinite ? $0 : nil },
          top: top?.rows(of: tensor, name))
      }
    }
  }

  /// A line for each output: its name, its shape, and its first numbers.
  static func text(of results: [String: Tensor], _ names: [String], _ console: Console) -> String {
    Console.table(
      names.compactMap { name in
        results[name].map { tensor in
          let (first, count) = (tensor.values.prefix(mostShown), tensor.values.count)
          let numbers = first.map(shortest).joined(separator: " ")
          return [printable(name), "\(tensor.shape)", numbers + (count > first.count ? " …" : "")]
        }
      }) + "\n"
  }
}
