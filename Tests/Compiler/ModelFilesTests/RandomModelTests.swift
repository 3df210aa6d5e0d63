// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TestEquipment
import Testing

/// Expressions that a monkey wrote, from names and functions that exist: each model becomes a graph that keeps its
/// promises, or is refused with a place.
@Suite(.timeLimit(.minutes(30))) struct RandomModelTests {
  @Test(arguments: 0..<8)
  func randomModelsAreUnderstoodOrRefused(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var accepted = 0
    for round in 0..<400 {
      let text = model(&random)
      do throws(Diagnostics) {
        let document = try ModelDocument.decode(Array(text.utf8), file: "m")
        let graph = try Graph(importing: document, extents: ["channels": 2], sampleRate: 48_000)
        #expect(Verifier.violations(in: graph) == [], "seed \(seed), round \(round): \(text)")
        accepted += 1
      } catch {
        for diagnostic in error.all {
          #expect(diagnostic.place != nil, "seed \(seed), round \(round): \(diagnostic)\n\(text)")
          #expect(!diagnostic.message.isEmpty && diagnostic.message.utf8.count < 600)
        }
      }
    }
    #expect(accepted > 10, "seed \(seed): hardly any model is accepted")
  }

  private func model(_ random: inout SplitMix) -> String {
    let names = ["a", "b", "c"].prefix(Int.random(in: 1...3, using: &random))
    let entries = names.map { "\"\($0)\": \"\(expression(Int.random(in: 1...3, using: &random), &random))\"" }
    let step = Bool.random(using: &random)
    let last = step ? "16" : "\"frames\""
    return """
      { "legato": 1, \(step ? "\"clock\": \"step\"," : "")
        "inputs": { "x": { "shape": [4, \(last)] }, "y": { "shape": ["channels", 3, \(last)] }, "m": { "shape": [\(last)] } },
        "parameters": { "p": { "default": 1, "minimum": 0, "maximum": 2 } },
        "weights": { "w": [[[1, 2], [3, 4], [5, 6], [7, 8]]], "d": [[1, 2, 3, 4], [5, 6, 7, 8]], "s": 1 },
        "graph": { \(entries.joined(separator: ",\n")) },
        "outputs": ["\(names[0])"] }
      """
  }

  private func expression(_ depth: Int, _ random: inout SplitMix) -> String {
    guard depth > 0 else {
      return ["x", "y", "m", "p", "a", "b", "c", "1", "0.5", "'w'", "'d'", "'s'", "pi", "sampleRate"]
        .randomElement(using: &random)!
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      let op = BinaryOp.allCases.filter(\.isInfix).randomElement(using: &random)!.rawValue
      return "(\(expression(depth - 1, &random)) \(op) \(expression(depth - 1, &random)))"
    case 2: return "-\(expression(depth - 1, &random))"
    case 3: return "delay(\(expression(depth - 1, &random)), \(integer(&random)))"
    case 4: return expression(0, &random)
    default: return call(depth, &random)
    }
  }

  private func call(_ depth: Int, _ random: inout SplitMix) -> String {
    let function = Function.all.filter { $0.name.isName }.randomElement(using: &random)!
    var arguments: [String] = []
    for slot in function.slots where slot.standard == .required || Bool.random(using: &random) {
      let argument =
        switch slot.kind {
        case .value:
          slot.name == "weight"
            ? ["'w'", "'d'", "x"].randomElement(using: &random)! : expression(depth - 1, &random)
        case .values:
          list(0...3, &random) { random in expression(depth - 1, &random) }
        case .integer: integer(&random)
        case .integers: list(0...3, &random) { random in integer(&random) }
        case .number: ["0.1", "-1", "1e38", "1 / 0"].randomElement(using: &random)!
        case .choice(let choices): "'\((choices + ["none"]).randomElement(using: &random)!)'"
        }
      arguments.append("\(slot.name): \(argument)")
    }
    return "\(function.name)(\(arguments.joined(separator: ", ")))"
  }

  private func list(
    _ count: ClosedRange<Int>, _ random: inout SplitMix, _ element: (inout SplitMix) -> String
  ) -> String {
    var elements: [String] = []
    for _ in 0..<Int.random(in: count, using: &random) { elements.append(element(&random)) }
    return "[\(elements.joined(separator: ", "))]"
  }

  /// Mostly small, sometimes at a limit.
  private func integer(_ random: inout SplitMix) -> String {
    guard Int.random(in: 0..<8, using: &random) == 0 else {
      return String(Int.random(in: -1...4, using: &random))
    }
    return [
      "16777216", "16777215", "268435456", "2147483648", "9007199254740992", "-9007199254740992", "1e300",
      "4294967296", "65536", "0.5", "sampleRate", "p",
    ].randomElement(using: &random)!
  }
}
