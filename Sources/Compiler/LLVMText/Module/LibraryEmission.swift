// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Emits the rest of a module that is linked into another program: its weights, and the one function that the program
/// calls.
struct LibraryEmission {
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
    let data = weights.isEmpty ? "null" : "@\(ModuleText.weightsName)"
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

  /// The weights, whose numbers are put there where machine code is made: as text each would take twelve bytes.
  private var data: String {
    "@\(ModuleText.weightsName) = external constant [\(weights.count * 4) x i8], align 64\n"
  }
}
