// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning

/// The LLVM IR of a whole plan: one function that the context calls, and one for each kernel.
package struct ModuleText: Sendable {
  /// The name of the function that the context calls.
  package static let entryName = "legato_execute"

  /// The name of a table of the numbers of a tile's frames, as floats, from 1 on.
  static let frameNumbers = "@frame_numbers"

  package let text: String

  package init(_ plan: Plan) {
    var writer = ModuleWriter(plan)
    text = writer.write()
  }

  /// The same for a linker: the weights are data of the module, and one function is seen from outside.
  ///
  ///     void SYMBOL(inputs, outputs, workspace, frames)
  ///
  /// It moves the position on, which otherwise the context does.
  package init(_ plan: Plan, exporting symbol: String) {
    var writer = ModuleWriter(plan)
    text = writer.write(isInternal: true) + LibraryEmission(plan, symbol: symbol).text
  }
}

private struct ModuleWriter {
  let plan: Plan
  private var functions: [String] = []
  private var declarations: Set<String> = []

  init(_ plan: Plan) { self.plan = plan }

  mutating func write(isInternal: Bool = false) -> String {
    let blockNames = plan.kernelGraph.blockKernels.enumerated().map { index, kernel in
      add("block_\(index)", kernel, .settled)
    }
    let isSmall = plan.goal == .size
    let settling = isSmall ? nil : plan.kernelGraph.settling.map { add("settle", .map($0), .settled) }
    var steps: [EntryEmission.Step] = []
    let kernels = plan.kernelGraph.kernels
    let whileSettled = isSmall ? kernels : plan.kernelGraph.kernelsWhileSettled
    for (index, kernel) in kernels.enumerated() {
      let moves = kernel.dependsOnMotion(in: plan)
      // A parameter that stands still is a ramp without a slope: code for those that move will do, with the same bits.
      let settled = whileSettled[index].map {
        add("step_\(index)", $0, moves && isSmall ? .moving : .settled)
      }
      let moving = (moves && !isSmall ? nil : settled) ?? add("step_\(index)_moving", kernel, .moving)
      steps.append(.init(settled: settled, moving: moving, dependsOnMotion: moves))
    }
    let entry = EntryEmission(plan, blockKernels: blockNames, settling: settling, steps: steps)
    if entry.anyMotion {
      let landing = LandingEmission(plan)
      functions.append(landing.function())
      declarations.formUnion(landing.builder.declarations)
    }
    let entryText = entry.function(ModuleText.entryName, isInternal: isInternal)
    declarations.formUnion(entry.builder.declarations)
    return frameNumbers + (functions + [entryText]).joined(separator: "\n") + "\n"
      + declarations.sorted().joined(separator: "\n") + "\n\n" + attributes
  }

  /// Constants that ramps need; aligned so that the vectors of whole stages lie in one cache line each.
  private var frameNumbers: String {
    guard plan.graph.parameters.contains(where: { $0.rampFrames > 0 }) else { return "" }
    let numbers = (0..<Plan.tileFrames).map { "float \(FunctionBuilder.literal(Float($0 + 1)))" }
    return "\(ModuleText.frameNumbers) = internal constant [\(Plan.tileFrames) x float] "
      + "[\(numbers.joined(separator: ", "))], align 64\n\n"
  }

  private mutating func add(_ name: String, _ kernel: Kernel, _ motion: KernelEmitter.Motion) -> String {
    let emitter = KernelEmitter(plan, motion: motion)
    functions.append(emitter.function(name, kernel))
    declarations.formUnion(emitter.builder.declarations)
    return name
  }

  /// Nothing is left to LLVM's discretion: no calls made up for loops, denormals as the context sets them, vectors
  /// as wide as they are written.
  private var attributes: String {
    let bits = plan.target.vectorBytes * 8
    let goal =
      switch plan.goal {
      case .speed: ""
      case .size: "minsize optsize "
      }
    return """
      attributes #0 = { nounwind noredzone \(goal)"no-builtins" "denormal-fp-math"="preserve-sign,preserve-sign" \
      "min-legal-vector-width"="\(bits)" "prefer-vector-width"="\(bits)" }

      """
  }
}

extension Kernel {
  /// Whether the kernel's code differs while parameters move.
  fileprivate func dependsOnMotion(in plan: Plan) -> Bool {
    switch self {
    case .map(let map):
      map.nodes.contains { plan.kernelGraph.uniform.contains(plan.graph[$0].result) }
        || map.loads.contains { plan.kernelGraph.uniform.contains($0.key) || $0.value.mayMove(in: plan) }
    case .fold(let fold): Kernel.map(fold.epilogue).dependsOnMotion(in: plan)
    case .sample(let sample): sample.source.mayMove(in: plan)
    case .cycle(let cycle): cycle.kernels.contains { $0.dependsOnMotion(in: plan) }
    }
  }
}

extension Access {
  /// Whether it reads a parameter that glides to its target.
  fileprivate func mayMove(in plan: Plan) -> Bool {
    guard case .parameter(let index) = location, plan.graph.clock == .stream else { return false }
    return plan.graph.parameters[index].rampFrames > 0
  }
}
