// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import Testing

/// Layers beside PyTorch's formulas in double precision, which `reference/make.py` writes down.
@Suite struct LayerReferenceTests {
  private struct Case: Decodable, CustomTestStringConvertible {
    struct Array: Decodable {
      let shape: [Int]
      let values: [Float]
    }
    let call: String
    let weights: [String: Array]
    let input: [[Float]]
    let output: [[Double]]

    var testDescription: String { call }

    var graph: Graph {
      get throws {
        let weights = weights.sorted { $0.key < $1.key }.map { name, array in
          "weights \"\(name)\" \(array.shape) = [\(array.values.map { "\($0)" }.joined(separator: ", "))]"
        }
        let lines =
          ["graph \"layer\" stream 48000", "input x [\(input.count), frames]"] + weights
          + ["y = \(call)", "output y = y"]
        return try Graph(parsing: lines.joined(separator: "\n"))
      }
    }
  }

  private static let cases: [Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("reference/cases.json")
    return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test func thereAreCases() { #expect(Self.cases.count == 47) }

  @Test(arguments: cases) private func isWhatPyTorchSays(_ layer: Case) throws {
    let stimulus = Stimulus(inputs: layer.input, frames: layer.input[0].count)
    let outputs = try NativeRun(try layer.graph).outputs(of: stimulus, blocks: [1, 16, 7])
    #expect(outputs.count == layer.output.count)
    for (row, expected) in zip(outputs, layer.output) {
      #expect(zip(row, expected).allSatisfy { abs(Double($0) - $1) < 2e-6 })
    }
  }
}
