// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import GraphPasses
package import GraphPlanning
internal import LLVMText
package import RealtimeCore

/// What decides how a graph is compiled.
package struct CompileOptions: Sendable {
  package var target: Target
  package var pipeline: Pipeline
  package var goal: Goal

  package init(target: Target, pipeline: Pipeline = Pipeline(), goal: Goal = .speed) {
    self.target = target
    self.pipeline = pipeline
    self.goal = goal
  }
}

/// A graph on its way to a program, with every stage of it to look at.
package struct CompiledGraph: Sendable {
  package let source: Graph
  /// The graph after the passes.
  package let graph: Graph
  package let reports: [PassReport]
  package let plan: Plan
  package let llvmText: String

  /// - Throws: `PlanError` where the graph takes more memory than it may.
  package init(_ source: Graph, options: CompileOptions) throws(PlanError) {
    self.source = source
    (graph, reports) = options.pipeline.run(source)
    let kernels = options.pipeline.lower(
      graph, for: options.target, goal: options.goal, after: reports
    ).kernels
    plan = try Plan(
      kernels, target: options.target, goal: options.goal, aliases: options.pipeline.aliases)
    llvmText = ModuleText(plan).text
  }

  /// A plan that was made by hand, and its text.
  package init(_ plan: Plan) {
    (source, graph, reports) = (plan.graph, plan.graph, [])
    self.plan = plan
    llvmText = ModuleText(plan).text
  }

  /// The machine code as a relocatable object.
  package func object() throws(NativeCodeError) -> ObjectFile {
    try ObjectFile.emit(ir: llvmText, target: plan.target)
  }

  /// The machine code for a linker, with the weights in it and one function that is seen from outside.
  package func libraryObject(exporting symbol: String) throws(NativeCodeError) -> ObjectFile {
    try ObjectFile.emit(ir: ModuleText(plan, exporting: symbol).text, target: plan.target)
  }

  /// The machine code as assembly.
  package func assembly() throws(NativeCodeError) -> String {
    try ObjectFile.assembly(ir: llvmText, target: plan.target)
  }

  /// The program, ready for contexts.
  package func program(from object: ObjectFile) throws(NativeCodeError) -> Program {
    let code = try LoadedCode(object: object, entry: ModuleText.entryName)
    let weights = plan.kernelGraph.weights
    do throws(ProgramError) {
      return try unsafe Program(
        name: graph.name, layout: plan.programLayout, entry: code.entryPoint,
        weights: weights.isEmpty
          ? nil : weights.withUnsafeBytes { bytes in unsafe Weights(copying: bytes) }, owner: code)
    } catch {
      preconditionFailure("the compiler made a program that contradicts itself: \(error)")
    }
  }

  package func program() throws(NativeCodeError) -> Program { try program(from: object()) }
}
