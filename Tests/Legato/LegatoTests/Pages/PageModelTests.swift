// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import ModelFiles
import TensorFiles
import TestEquipment
import Testing

/// The models in the README and in the articles compile as they stand there.
@Suite struct PageModelTests {
  @Test func theModelsOfThePagesCompile() throws {
    let folder = try TemporaryFolder()
    let files: [String: [(name: String, shape: [Int])]] = [
      "amp": [("conv.weight", [8, 1, 3]), ("conv.bias", [8]), ("head.weight", [1, 8]), ("out.gain", [1])],
      "classes": [
        ("conv1.weight", [8, 3, 3, 3]), ("conv1.bias", [8]), ("conv2.weight", [16, 8, 3, 3]),
        ("conv2.bias", [16]), ("head.weight", [10, 16]), ("head.bias", [10]),
      ],
    ]
    for (name, tensors) in files {
      let weights = tensors.map {
        Weights(name: $0.name, shape: $0.shape, values: Numbers(count: Shape($0.shape).count) { _ in })
      }
      try folder.make("\(name).safetensors", TensorFileText(weights).bytes)
    }
    var count = 0
    for page in Page.all {
      for block in page.blocks where block.language == "json" {
        count += 1
        #expect(throws: Never.self, "\(page.name): \(block.text)") {
          let functions = try ModelDocument.functions(of: block.text.utf8, file: page.name)
          for function in functions.isEmpty ? [nil] : functions.map(Optional.some) {
            let model = try Model(block.text, name: page.name, function: function, folder: folder.path)
            let compilation = try model.compilation(
              extents: Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 2) }))
            // The last stage of a spectrum makes whole rows, of which half a spectrum is read.
            let notes = compilation.notes.filter { !"\($0)".contains("'logMel': ") }
            #expect(notes == [], "\(page.name)")
          }
        }
      }
    }
    #expect(count >= 4)
  }
}
