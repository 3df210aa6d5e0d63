// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Tables with fields that are parted, and written, in other ways.
@Suite struct TableFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func table(_ text: String) throws -> TableFile {
    try TableFile(contentsOf: folder.make("t.csv", Array(text.utf8)))
  }

  @Test(arguments: [
    "x.0,x.1,label\n1,2,up\n3,4,down\n", "x.0;x.1;label\r\n1;2;up\r\n\r\n3;4;down",
    "x.0\tx.1\tlabel\n1\t2\tup\n3\t4\tdown\n",
    "\u{FEFF}note,x.1,x.0,label\n\"a\nline, \"\"quoted\"\"\",2, 1 ,up\n,4,3,\"down\"\n",
  ])
  func fieldsAreParted(text: String) throws {
    let (arrays, labels) = try table(text).examples(inputs: [("x", [2])], targets: ["target"])
    #expect(arrays["x"] == (try Tensor(shape: [2, 2], values: [1, 2, 3, 4])))
    #expect(labels == ["down", "up"] && arrays["target"]?.values == [1, 0])
  }

  @Test func linesAreCountedWithinQuotesToo() throws {
    func message(_ text: String) throws -> String {
      let error = #expect(throws: TrainingError.self) {
        try table(text).examples(inputs: [("x", [1])], targets: ["label"])
      }
      return error?.description.replacing(folder("t.csv"), with: "t.csv") ?? ""
    }
    #expect(
      try message("x,label,more\n1,2,\"a\n\nb\"\n?,2,\n") == "t.csv:5: column 'x': '?' is no finite number")
    #expect(try message("x,label\n1,\"2\n3\n4\n") == "t.csv:2: a quote is not closed")
    #expect(try message("x,label\n1,2\n1;2\n") == "t.csv:3: the row has 1 fields, and the table 2 columns")
  }
}
