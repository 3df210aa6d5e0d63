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
    let gradients: [[Float]]
    let results: [[Double]]
  }

  let losses: [Loss]
  let optimizers: [Steps]

  static let all: TrainingReference = {
    let file = Bundle.module.url(forResource: "reference/reference", withExtension: "json")!
    return try! JSONDecoder().decode(TrainingReference.self, from: Data(contentsOf: file))
  }()
}
