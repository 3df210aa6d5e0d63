// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode
package import RealtimeCore
internal import Synchronization

extension Verification {
  /// A program that must give the same bits although it does without an optimisation.
  package struct Variant: Sendable {
    /// The name of the optimisation that is left out.
    package var name: String
    package var program: Program
    /// The program that it is compared with; nil for the one that is verified.
    package var reference: Program?
    /// Whether the optimisation did nothing here, so that both are the same code.
    package var isIdle: Bool

    package init(name: String, program: Program, reference: Program? = nil, isIdle: Bool = false) {
      self.name = name
      self.program = program
      self.reference = reference
      self.isIdle = isIdle
    }
  }
}

extension Verification.Variant {
  /// The optimisations that may round differently, and so have no variant: law 2 is about them.
  package static let roundingPasses = [Pass.constantFolding, .algebraicRules, .fmaFormation, .partialSums]
    .map(\.name)

  /// One without each optimisation that must not change a bit, and one without any over kernels.
  ///
  /// - Parameter program: The one that is verified.
  static func all(of compilation: Compilation, _ program: Program) throws(ModelError) -> [Self] {
    let compiled = compilation.compiled
    var workshop = Workshop(compiled, program)
    var orders: [(name: String, program: Int, reference: Int)] = []
    func order(
      _ name: String, _ graph: Graph, _ pipeline: Pipeline, besides other: Pipeline? = nil
    ) throws(ModelError) {
      let program = try workshop.order(graph, pipeline)
      let reference = try other.map { other throws(ModelError) in try workshop.order(graph, other) }
      orders.append((name, program, reference ?? Workshop.verified))
    }
    // The graph is taken as its passes made it, so that only kernels differ.
    for name in Pipeline.kernelSwitches {
      try order(name, compiled.graph, Pipeline(disabled: Pipeline.none.disabled.union([name])))
    }
    try order("any pass over kernels", compiled.graph, .plain)
    // Sharing of nodes decides which products go into sums, which may change bits: neither side has anything else.
    let (sharing, hoisting) = (Pass.commonSubexpressions.name, Pass.sliceHoisting.name)
    let kernelSwitches = Pipeline.kernelSwitches
    func unfused(_ disabled: Set<String>) -> Pipeline { Pipeline(disabled: disabled.union(kernelSwitches)) }
    try order(
      sharing, compiled.source, unfused(Pipeline.none.disabled),
      besides: unfused(Pipeline(only: [sharing]).disabled))
    try order(hoisting, compiled.source, unfused([hoisting]), besides: unfused([]))
    var withDeadWeights = compilation.options.pipeline
    withDeadWeights.disabled.insert(Pass.deadWeights.name)
    try order(Pass.deadWeights.name, compiled.source, withDeadWeights)

    let programs = try workshop.programs()
    return orders.map { name, program, reference in
      .init(
        name: name, program: programs[program],
        reference: reference == Workshop.verified ? nil : programs[reference], isIdle: program == reference)
    }
  }
}

/// Makes programs of graphs for one CPU: of equal code one, and as many at a time as there are processors, since making
/// code is what takes time.
private struct Workshop {
  /// The number of the program that is verified.
  static let verified = 0

  private let first: Program
  private let target: Target
  private let goal: Goal
  private var orders: [CompiledGraph]

  init(_ compiled: CompiledGraph, _ program: Program) {
    first = program
    target = compiled.plan.target
    goal = compiled.plan.goal
    orders = [compiled]
  }

  /// Orders what a pipeline makes of a graph; the number of its program.
  mutating func order(_ graph: Graph, _ pipeline: Pipeline) throws(ModelError) -> Int {
    let compiled: CompiledGraph
    do throws(PlanError) {
      compiled = try CompiledGraph(graph, options: .init(target: target, pipeline: pipeline, goal: goal))
    } catch {
      throw ModelError(error, in: graph)
    }
    if let equal = orders.firstIndex(where: { $0.makesSameProgram(as: compiled) }) { return equal }
    orders.append(compiled)
    return orders.count - 1
  }

  /// All that were ordered.
  func programs() throws(ModelError) -> [Program] {
    let made = Mutex<[Int: Result<Program, ModelError>]>([Self.verified: .success(first)])
    let orders = orders
    DispatchQueue.concurrentPerform(iterations: orders.count - 1) { index in
      let result = Result { () throws(ModelError) in
        do throws(NativeCodeError) { return try orders[index + 1].program() } catch {
          throw ModelError(error)
        }
      }
      made.withLock { $0[index + 1] = result }
    }
    let results = made.withLock { $0.sorted { $0.key < $1.key } }
    return try results.map { result throws(ModelError) in try result.value.get() }
  }
}

extension CompiledGraph {
  fileprivate func makesSameProgram(as other: CompiledGraph) -> Bool {
    llvmText == other.llvmText && plan.weights == other.plan.weights
      && plan.programLayout == other.plan.programLayout
  }
}
