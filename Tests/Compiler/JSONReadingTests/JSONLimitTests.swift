// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading
import Testing

@Suite struct JSONLimitTests {
  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func depth256IsReadAnd257IsNot() {
    #expect(syntaxError(nested(256)) == "accepted")
    #expect(syntaxError(nested(257)) == "1:257: objects and arrays are nested deeper than 256 levels")
    let objects = String(repeating: "{\"a\":", count: 257)
    #expect(syntaxError(objects) == "1:1281: objects and arrays are nested deeper than 256 levels")
  }

  @Test func aHundredThousandBracketsDoNoHarm() {
    let message = "1:257: objects and arrays are nested deeper than 256 levels"
    #expect(syntaxError(String(repeating: "[", count: 100_000)) == message)
    #expect(syntaxError(nested(100_000)) == message)
  }

  @Test func depthCountsWhatIsOpenAndNotWhatWasRead() {
    #expect(syntaxError("[" + String(repeating: "[[]],", count: 1000) + "]") == "accepted")
  }

  @Test func aMillionNumbersAreRead() throws {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    for _ in 0..<1_000_000 { bytes.append(contentsOf: [0x30, 0x2E, 0x35, 0x2C]) }
    bytes.append(UInt8(ascii: "]"))
    let document = try JSONDocument(bytes)
    guard case .numbers(let numbers) = document.root.content else {
      Issue.record("not an array of numbers")
      return
    }
    #expect(numbers.count == 1_000_000)
    #expect(numbers.allSatisfy { $0 == 0.5 })
    #expect(document.place(ofElement: 999_999, in: document.root).column == 3_999_998)
  }

  @Test func sixtyFourMebibytesAreReadAndNotMore() {
    var bytes = [UInt8](repeating: UInt8(ascii: "1"), count: JSONReader.maximumBytes)
    // A number of that length is refused early; what counts is that the text was looked at.
    #expect(
      syntaxError(bytes + [0x31]) == "1:1: the file has more than 67108864 bytes (64 MiB), which are the most"
    )
    bytes[0] = UInt8(ascii: "]")
    #expect(syntaxError(bytes) == "1:1: expected a value, found ']'")
  }

  @Test func theNumberOfValuesIsLimited() {
    var bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1)
    for _ in 0..<JSONReader.maximumValues { bytes.append(contentsOf: [0x7B, 0x7D, 0x2C]) }
    #expect(syntaxError(bytes) == "1:3145727: the file has more than 1048576 values")
  }
}
