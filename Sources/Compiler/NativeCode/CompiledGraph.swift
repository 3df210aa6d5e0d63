// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import GraphPasses
package import GraphPlanning
internal import LLVMText
package import RealtimeCore

/// Options that decide how a graph is compiled.
package struct CompileOptions: Sendable {
  package var target: Target
  package var pipeline: Pipeline
  package var goal: Goal
  /// The cache of code that runs on this machine; nil for none.
  package var cache: CodeCache?

  package init(
    target: Target, pipeline: Pipeline = Pipeline(), goal: Goal = .speed, cache: CodeCache? = nil
  ) {
    self.target = target
    self.pipeline = pipeline
    self.goal = goal
    self.cache = cache
  }
}

/// A graph on its way to a program, with every stage of it to look at.
package struct CompiledGraph: Sendable {
  package let source: Graph
  /// The graph after the passes.
  package let graph: Graph
  package let reports: [PassReport]
  package let plan: Plan
  private let module: ModuleText
  private let cache: CodeCache?

  /// - Throws: `PlanError` where the graph takes more memory than it may.
  package init(_ source: Graph, options: CompileOptions) throws(PlanError) {
    self.source = source
    (graph, reports) = options.pipeline.run(source)
    let kernels = options.pipeline.lower(
      graph, for: options.target, goal: options.goal, after: reports
    ).kernels
    plan = try Plan(
      kernels, target: options.target, goal: options.goal, aliases: options.pipeline.aliases,
      schedules: options.pipeline.schedules)
    module = ModuleText(plan)
    cache = options.cache
  }

  /// A plan that was made by hand, and its text.
  package init(_ plan: Plan) {
    (source, graph, reports) = (plan.graph, plan.graph, [])
    self.plan = plan
    module = ModuleText(plan)
    cache = nil
  }

  package var llvmText: String { module.text }

  /// The machine code as a relocatable object.
  package func object() throws(NativeCodeError) -> ObjectFile {
    try ObjectFile.emit(ir: llvmText, target: plan.target)
  }

  /// The machine code for a linker, with the weights in it and one function that is seen from outside.
  package func libraryObject(exporting symbol: String) throws(NativeCodeError) -> ObjectFile {
    guard plan.weights.count <= Self.mostLinkedWeights else {
      throw .weightsTooLarge(numbers: plan.weights.count, most: Self.mostLinkedWeights)
    }
    let constant =
      plan.weights.isEmpty ? nil : ObjectFile.Constant(name: ModuleText.weightsName, numbers: plan.weights)
    return try ObjectFile.emit(ir: module.text(exporting: symbol), constant, target: plan.target)
  }

  /// Numbers that code which is linked may have in it, half a GiB: all that it reaches lies within 2 GiB, with whatever else
  /// is linked beside it.
  private static let mostLinkedWeights = 1 << 27

  /// The machine code as assembly.
  package func assembly() throws(NativeCodeError) -> String {
    try ObjectFile.assembly(ir: llvmText, target: plan.target)
  }

  /// The program of an object that was made of this graph, ready for contexts.
  package func program(from object: ObjectFile) throws(NativeCodeError) -> Program {
    try program(of: LoadedCode(object: object, entry: ModuleText.entryName), [:])
  }

  /// The program, ready for contexts.
  ///
  /// - Parameter values: the values of parameters, by name, with which it warms up, where they are not the initial ones.
  package func program(settledAt values: [String: Float] = [:]) throws(NativeCodeError) -> Program {
    guard let cache else {
      return try program(of: LoadedCode(object: object(), entry: ModuleText.entryName), values)
    }
    return try program(
      of: cache.code(ofText: llvmText, entry: ModuleText.entryName, for: plan.target), values)
  }

  private func program(of code: LoadedCode, _ values: [String: Float]) throws(NativeCodeError) -> Program {
    let weights = plan.weights
    do throws(ProgramError) {
      return try unsafe Program(
        name: graph.name, layout: plan.programLayout, entry: code.entryPoint,
        weights: weights.isEmpty
          ? nil : unsafe Weights(unsafe: weights.unsafeBytes, of: weights), owner: code,
        settledAt: values)
    } catch .outOfMemory(_, let bytes) {
      throw .outOfMemory(bytes: bytes)
    } catch {
      preconditionFailure("the compiler made a program that contradicts itself: \(error)")
    }
  }
}
