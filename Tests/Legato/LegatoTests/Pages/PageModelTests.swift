// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

/// The models in the README and in the articles compile as they stand there.
@Suite struct PageModelTests {
  @Test func theModelsOfThePagesCompile() throws {
    var count = 0
    for page in Page.all {
      for block in page.blocks where block.language == "json" {
        count += 1
        #expect(throws: Never.self, "\(page.name): \(block.text)") {
          let model = try Model(block.text, name: page.name)
          let compilation = try model.compilation(
            extents: Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 2) }))
          #expect(compilation.notes == [], "\(page.name)")
        }
      }
    }
    #expect(count >= 4)
  }
}
