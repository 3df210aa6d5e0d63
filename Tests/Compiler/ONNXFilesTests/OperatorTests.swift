// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import ModelFiles
import RealtimeCore
import ReferenceInterpreter
import Testing

/// Translated models compute what the reference evaluator of the package onnx does.
@Suite struct OperatorTests {
  @Test func thereAreCasesOfEachGroup() {
    #expect(ONNXCase.all.count > 300)
    #expect(Set(ONNXCase.all.map { $0.name.split(separator: "-")[0] }).count > 130)
  }

  @Test(arguments: ONNXCase.all)
  func eachComputesTheSame(one: ONNXCase) throws {
    let document = try ModelDocument.decode(one.model, file: "case.onnx", extents: one.extents)
    let graph = try Graph(importing: document, sampleRate: 48_000)
    let inputs = document.inputs.indices.map { row in
      // Names that no expression can say are others in the document; the order stays.
      let input = one.inputs[row]
      #expect(graph.inputs[row].type.shape.fixed == input.shape)
      return input.numbers
    }
    let result = ReferenceInterpreter(graph.canonical()).run(inputs: inputs, frames: 1)
    try #require(result.outputs.count == one.outputs.count)
    for (row, (made, expected)) in zip(result.outputs, one.outputs).enumerated() {
      #expect(graph.shape(of: graph.outputs[row].value).fixed == expected.shape)
      for (place, (estimate, number)) in zip(made, expected.numbers).enumerated() {
        let isNear =
          estimate.contains(number)
          || abs(estimate.value - Double(number)) <= one.absolute + one.relative * Double(abs(number))
        #expect(isNear, "output \(row), number \(place): \(estimate.value), and \(number) is expected")
      }
    }
  }
}
