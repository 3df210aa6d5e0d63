// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

/// An embedding that is the last layer, too: its array is in memory once, in the order of the layer.
@Suite struct SharedWeightTests {
  private static let width = 3

  private func number(_ row: Int, _ column: Int) -> Float { Float((row * 7 + column * 3) % 11 - 5) }

  private func model(words: Int) throws -> Model {
    let rows = (0..<words).map { row in
      "[\((0..<Self.width).map { "\(Int(number(row, $0)))" }.joined(separator: ","))]"
    }
    return try Model(
      """
      { "legato": 1, "inputs": { "word": { "shape": [2] } }, "weights": { "w": [\(rows.joined(separator: ","))] },
        "graph": { "row": "embedding(word, 'w') * 2", "y": "dense(row, 'w')" },
        "outputs": ["row", "y"] }
      """)
  }

  @Test(arguments: [(8192 * 2, 1), (100, 2)])
  func isReadByBoth(words: Int, copies: Int) throws {
    let compilation = try model(words: words).compilation()
    let least = words * Self.width * 4
    #expect(compilation.weightsBytes >= copies * least && compilation.weightsBytes < copies * least + 4096)
    var runner = try StepRunner(compilation)
    for pair in [[0, 1], [words - 1, 77], [5, 5], [words + 3, -4]] {
      let known = pair.map { min(max($0, 0), words - 1) }
      let made = try runner.step(["word": Tensor(pair.map { Float($0) })])
      let rows = known.map { row in (0..<Self.width).map { 2 * number(row, $0) } }
      #expect(made["row"]?.values == Array(rows.joined()))
      let products = rows.map { row in
        (0..<words).map { word in (0..<Self.width).reduce(Float(0)) { $0 + row[$1] * number(word, $1) } }
      }
      #expect(made["y"]?.values == Array(products.joined()))
    }
  }
}
