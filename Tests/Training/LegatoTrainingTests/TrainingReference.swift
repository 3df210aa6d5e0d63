// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Results of PyTorch, which `reference/make.py` writes.
struct TrainingReference: Decodable {
  struct Loss: Decodable, CustomTestStringConvertible {
    let expression: String
    let shape, targetShape: [Int]
    let x, target: [Float]
    let value: Double
    let gradient: [Double]

    var testDescription: String { "\(expression) of \(targetShape)" }
  }

  struct Steps: Decodable {
    let name: String
    let start: [Float]
    /// Those of as many batches before each update as there are more of them.
    let gradients: [[Float]]
    let results: [[Double]]
  }

  /// A network as a model of ours, and the gradient of its weights by their names.
  struct Network: Decodable, CustomTestStringConvertible {
    let name, model: String
    let window, warmup: Int
    let sounds, targets: [[Float]]
    let value: Double
    let gradients: [String: [Double]]

    var testDescription: String { name }
  }

  let losses: [Loss]
  let optimizers: [Steps]
  let networks: [Network]

  static let all: TrainingReference = {
    let file = Bundle.module.url(forResource: "reference/reference", withExtension: "json")!
    return try! JSONDecoder().decode(TrainingReference.self, from: Data(contentsOf: file))
  }()
}
