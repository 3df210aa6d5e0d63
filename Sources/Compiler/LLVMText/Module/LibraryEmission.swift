// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Emits the rest of a module that is linked into another program: its weights, and the one function that the program
/// calls.
struct LibraryEmission {
  private static let weights = "@weights"

  let plan: Plan
  let symbol: String

  init(_ plan: Plan, symbol: String) {
    self.plan = plan
    self.symbol = symbol
  }

  var text: String { (weights.isEmpty ? "" : data + "\n") + function }

  private var weights: Numbers { plan.weights }

  private var function: String {
    let builder = FunctionBuilder(target: plan.target, width: 1)
    let data = weights.isEmpty ? "null" : Self.weights
    builder.line(
      "call void @\(ModuleText.entryName)(ptr %inputs, ptr %outputs, ptr %workspace, ptr \(data), i64 %frames)"
    )
    let place = builder.address("%workspace", bytes: String(WorkspaceLayout.positionOffset))
    let before = builder.define("load i64, ptr \(place), align 8")
    builder.line("store i64 \(builder.define("add i64 \(before), %frames")), ptr \(place), align 8")
    return """

      define void @\(symbol)(ptr %inputs, ptr %outputs, ptr %workspace, i64 %frames) #0 {
      entry:
      \(builder.text)  ret void
      }

      """
  }

  /// The weights as the bytes of a string: LLVM reads them faster than numbers, and in less text.
  private var data: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(weights.count * 12 + 100)
    text += "\(Self.weights) = internal constant [\(weights.count * 4) x i8] c\"".utf8
    for weight in weights {
      var bits = weight.bitPattern
      for _ in 0..<4 {
        text += [UInt8(ascii: "\\"), digits[Int(bits >> 4 & 15)], digits[Int(bits & 15)]]
        bits >>= 8
      }
    }
    text += "\", align 64\n".utf8
    return String(decoding: text, as: UTF8.self)
  }
}
