// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import GraphPasses
package import GraphPlanning
internal import LLVMText
package import NativeCode
package import RealtimeCore

/// Proves what can be proved of a compiled model, and tries the laws on it.
///
/// Everything that is checked stands in the stored properties, so that a test can put something broken in the place
/// of each.
package struct Verification: Sendable {
  /// One line of the result.
  package struct Check: Hashable, Sendable {
    /// What is promised.
    package var name: String
    /// What was seen.
    package var figure: String
    package var passed: Bool
  }

  /// A program that must give the same bits although it does without an optimisation.
  package struct Variant: Sendable {
    /// The optimisation's name.
    package var name: String
    package var program: Program
    /// What it is compared with; nil for the program that is verified.
    package var reference: Program?

    package init(name: String, program: Program, reference: Program? = nil) {
      self.name = name
      self.program = program
      self.reference = reference
    }
  }

  /// What the model means: the graph as it was declared, before any pass.
  package var graph: Graph
  package var plan: Plan
  /// Where the plan breaks its promises.
  package var planViolations: [String]
  package var llvmText: String
  package var object: ObjectFile
  package var program: Program
  /// Programs that do without an optimisation.
  package var variants: [Variant]
  /// Frames of each trial on a stream: enough to hear what the longest delay gives back.
  package var frames: Int

  package init(_ compilation: Compilation) throws(ModelError) {
    let compiled = compilation.compiled
    do throws(NativeCodeError) {
      graph = compiled.source
      plan = compiled.plan
      planViolations = PlanVerifier.violations(in: compiled.plan)
      llvmText = compiled.llvmText
      object = try compiled.object()
      program = try compiled.program(from: object)
    } catch {
      throw ModelError(error)
    }
    let memory = compiled.source.nodes.map(\.op.history).filter { $0 <= Self.longestDelay }.max() ?? 0
    frames = 3_000 + memory
    variants = []
    for name in Pipeline.kernelPasses.map(\.name) + [Pipeline.aliasing] {
      let pipeline = Pipeline(disabled: Pipeline.none.disabled.union([name]))
      variants.append(
        Variant(name: name, program: try Self.program(compiled.graph, like: compiled, pipeline)))
    }
    let (sharing, hoisting) = (Pass.commonSubexpressions.name, Pass.sliceHoisting.name)
    let kernelSwitches = Set(Pipeline.switches).subtracting(Pipeline.passes.map(\.name))
    func unfused(_ disabled: Set<String>) throws(ModelError) -> Program {
      let pipeline = Pipeline(disabled: disabled.union(kernelSwitches))
      return try Self.program(compiled.source, like: compiled, pipeline)
    }
    // What shares a node decides which products go into sums, which may change bits: neither side has anything else.
    variants += [
      Variant(
        name: "any pass over kernels", program: try Self.program(compiled.graph, like: compiled, .plain)),
      Variant(
        name: sharing, program: try unfused(Pipeline.none.disabled),
        reference: try unfused(Pipeline(only: [sharing]).disabled)),
      Variant(name: hoisting, program: try unfused([hoisting]), reference: try unfused([])),
    ]
  }

  /// Delays beyond this are not waited for, so that a verification takes seconds.
  private static let longestDelay = 200_000

  /// The program that another pipeline makes of a graph for the same CPU.
  private static func program(
    _ graph: Graph, like compiled: CompiledGraph, _ pipeline: Pipeline
  ) throws(ModelError) -> Program {
    let options = CompileOptions(
      target: compiled.plan.target, pipeline: pipeline, goal: compiled.plan.goal)
    let other: CompiledGraph
    do throws(PlanError) {
      other = try CompiledGraph(graph, options: options)
    } catch {
      throw ModelError(error, in: graph)
    }
    do throws(NativeCodeError) { return try other.program() } catch { throw ModelError(error) }
  }

  /// All checks, in the order in which they are shown.
  package func checks() throws(ModelError) -> [Check] {
    do throws(ContextError) {
      return proofs() + ([textLaw()] + (try laws())).sorted { $0.name < $1.name }
    } catch {
      throw .code(error.description)
    }
  }

  // MARK: Proofs

  private func proofs() -> [Check] { [symbols, loops, stack, workspace] }

  private var symbols: Check {
    let contents = try? ELFContents(object.bytes)
    let undefined = contents?.undefinedSymbols ?? ["(unreadable object)"]
    let figure = undefined.isEmpty ? "none undefined" : "undefined: \(undefined.joined(separator: ", "))"
    return Check(name: "symbols", figure: figure, passed: undefined.isEmpty)
  }

  private var loops: Check {
    let census = LoopCensus(llvmText)
    let figure = census.violations.first ?? "\(census.countedLoops) counted, \(census.tileLoops) over tiles"
    return Check(name: "loops end", figure: figure, passed: census.violations.isEmpty)
  }

  /// The bytes of stack that execution needs at most: no more than a fraction of the smallest thread's.
  private var stack: Check {
    let bytes = object.stackBytes.values.reduce(0, +)
    return Check(name: "stack", figure: "\(bytes) bytes", passed: bytes <= Self.maximumStackBytes)
  }

  /// A quarter of the smallest stack that a thread is given in practice (musl's 128 KiB).
  private static let maximumStackBytes = 32 * 1024

  private var workspace: Check {
    let layout = plan.layout
    let figure =
      planViolations.first
      ?? "\(layout.size) bytes, of them \(layout.stateRange.count) state; code \(object.codeBytes) bytes"
    return Check(name: "workspace", figure: figure, passed: planViolations.isEmpty)
  }

  private func textLaw() -> Check {
    let printed = graph.description
    let again = try? Graph(parsing: printed)
    let passed = again == graph && again?.description == printed
    return Check(
      name: "law 6: text", figure: passed ? "print, parse, print is the identity" : "the text form differs",
      passed: passed)
  }
}
