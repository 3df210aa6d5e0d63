// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the function that runs where the next frame is some ramp's target: it lets the ramp rest there, and finds
/// out how far the others may go.
///
/// It is a loop over all parameters: landings are rare, and a model may have many parameters.
struct LandingEmission {
  static let name = "land"

  let plan: Plan
  let builder: FunctionBuilder

  init(_ plan: Plan) {
    self.plan = plan
    builder = FunctionBuilder(target: plan.target, width: 1)
    builder.declare("declare i32 @llvm.umin.i32(i32, i32)")
  }

  func function() -> String {
    let beginning = builder.define("load i64, ptr \(place(.beginning)), align 8")
    let past = builder.define("sub i64 %position, \(beginning)")
    let elapsed = builder.define("trunc i64 \(past) to i32")
    let next = builder.define("add i32 \(elapsed), 1")
    // As an unsigned number the way of a ramp that rests or lands is longer than that of any that goes on.
    let none = Lanes(names: ["-1"], element: .i32, width: 1)
    let count = String(plan.graph.parameters.count)
    let least = builder.loop(to: count, carrying: [none]) { parameter, least in
      [smaller(least[0], wayLeft(parameter, next))]
    }[0]
    let isNone = builder.define("icmp slt i32 \(least[0]), 0")
    let frames = builder.define("select i1 \(isNone), i32 0, i32 \(least[0])")
    let landing = builder.define("add i64 %position, \(builder.define("zext i32 \(frames) to i64"))")
    builder.line("store i64 \(landing), ptr \(place(.landing)), align 8")
    return """
      define internal void @\(Self.name)(\(KernelEmitter.parameterList)) #0 {
      entry:
      \(builder.text)  ret void
      }

      """
  }

  /// The frames that a ramp still goes before it lands; it lands where there are none.
  private func wayLeft(_ parameter: String, _ next: String) -> Lanes {
    let bytes = builder.define("mul i64 \(parameter), \(WorkspaceLayout.rampBytes)")
    let ramp = builder.address("%workspace", bytes: bytes)
    func place(_ field: WorkspaceLayout.RampField) -> String {
      builder.address(ramp, bytes: String(WorkspaceLayout.rampOffset(of: 0, field)))
    }
    let length = builder.define("load i32, ptr \(place(.length)), align 4")
    let left = builder.define("sub i32 \(length), \(next)")
    let lands = builder.define("icmp eq i32 \(left), 0")
    builder.when(lands) {
      let target = builder.define("load float, ptr \(place(.target)), align 4")
      builder.line("store float \(target), ptr \(place(.start)), align 4")
      builder.line("store float 0.0, ptr \(place(.step)), align 4")
      builder.line("store i32 0, ptr \(place(.length)), align 4")
    }
    let rest = builder.define("select i1 \(lands), i32 -1, i32 \(left)")
    return Lanes(names: [rest], element: .i32, width: 1)
  }

  private func smaller(_ a: Lanes, _ b: Lanes) -> Lanes {
    let name = builder.define("call i32 @llvm.umin.i32(i32 \(a[0]), i32 \(b[0]))")
    return Lanes(names: [name], element: .i32, width: 1)
  }

  private func place(_ field: WorkspaceLayout.SpanField) -> String {
    builder.address("%workspace", bytes: String(field.offset))
  }
}
