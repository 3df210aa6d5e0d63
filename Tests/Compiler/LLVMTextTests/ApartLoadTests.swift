// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import Testing

/// Numbers that are apart are picked from vectors, none of which goes beyond the last number.
@Suite struct ApartLoadTests {
  @Test(arguments: [2, 4, 8, 16], [2, 3, 4]) func picksEachAndReadsNothingBehind(width: Int, apart: Int)
    throws
  {
    let builder = FunctionBuilder(target: try #require(Target.x86(level: "x86-64-v4")), width: width)
    let vectors = 2
    let lanes = builder.load("%x", apart: apart, at: StagePosition(index: "0", vectors: vectors))
    // The numbers are called as their places are.
    let end = apart * (vectors * width - 1) + 1
    var (addresses, values) = (["%x": 0], [String: [Int]]())
    for line in builder.text.split(separator: "\n") {
      let parts = line.split(separator: " = ", maxSplits: 1).map(String.init)
      let (name, code) = (parts[0].filter { $0 != " " }, parts[1])
      let names = code.matches(of: /%[a-z0-9]+/).map { String($0.output) }
      if code.hasPrefix("getelementptr") {
        let count = try #require(Int(code.split(separator: " ").last!))
        addresses[name] = addresses[names[0]]! + (code.contains(" i8,") ? count / 4 : count)
      } else if code.hasPrefix("load") {
        let first = try #require(addresses[names[0]])
        #expect(first + width <= end, "\(line)")
        values[name] = Array(first..<first + width)
      } else {
        let both = values[names[0]]! + values[names[1]]!
        let mask = try #require(code.split(separator: "<").last)
        values[name] = mask.matches(of: /i32 ([0-9]+)/).map { both[Int($0.output.1)!] }
      }
    }
    let picked = (0..<vectors).flatMap { values[lanes.names[$0]]! }
    #expect(picked == (0..<vectors * width).map { $0 * apart })
  }
}
