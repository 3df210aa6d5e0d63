// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("The description of a program in one line")
struct ProgramDescriptionTests {
  static let name = "Wah \"?\" – 100 %\\"

  static var layout: ProgramLayout {
    var layout = GainProgram.layout
    layout.inputs[0].name = ""
    layout.parameters[0].unit = "dB/Okt."
    layout.parameters[0].minimum = -0.1
    layout.signalDelays = [
      .init(name: "late", line: 3, column: 7, file: "echo.json", range: 2...300),
      .init(name: "-", range: 5...5),
    ]
    layout.countsOffset = 256
    layout.histories = [
      .init(
        name: "past of x", offset: 128, rows: 1, pitch: 8, capacity: 2, repeated: 0, reach: 2, length: 1),
      .init(
        name: "1 for ever", offset: 128, rows: 1, pitch: 8, capacity: 2, repeated: 0, reach: 2, length: 1,
        constant: 0.1),
    ]
    layout.makesNoise = true
    layout.latency = 12
    return layout
  }

  private static func program(_ text: String) throws -> Program {
    unsafe try Program(described: text) { _, _, _, _, _ in }
  }

  @Test("What is read is what was written, in signs that C takes in a string")
  func reading() throws {
    let text = Self.layout.described(as: Self.name)
    #expect(text.utf8.allSatisfy { $0 >= 32 && $0 < 127 && !#""\?"#.utf8.contains($0) })
    let program = try Self.program(text)
    #expect(program.name == Self.name && program.layout == Self.layout && program.weights == nil)
  }

  @Test("A description that ends early, or does not end, is refused")
  func damage() throws {
    let text = Self.layout.described(as: Self.name)
    let words = text.split(separator: " ").count
    for count in 0..<words {
      let part = text.split(separator: " ").prefix(count).joined(separator: " ")
      #expect(throws: ProgramError.self, "\(part)") { try Self.program(part) }
    }
    for wrong in [text + " 0", text.replacing(" 12 ", with: " twelve "), text.replacing("%20", with: "%zz")] {
      #expect(throws: ProgramError.self, "\(wrong)") { try Self.program(wrong) }
    }
  }

  @Test("A description of another version says so")
  func version() throws {
    let other = "99" + Self.layout.described(as: "wah").dropFirst()
    #expect(throws: ProgramError.version(program: "wah", found: 99, expected: ProgramLayout.currentVersion)) {
      try Self.program(other)
    }
  }
}
