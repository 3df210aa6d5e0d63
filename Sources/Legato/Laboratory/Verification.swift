// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import GraphPlanning
internal import LLVMText
package import NativeCode
package import RealtimeCore

/// Proves what can be proved of a compiled model, tries the laws on it, and times it.
///
/// Everything that is looked at stands in the stored properties, so that a test can put something broken in the place
/// of each.
package struct Verification: Sendable {
  /// The meaning of the model: the graph as it was declared, before any pass.
  package var graph: Graph
  package var plan: Plan
  /// The violations of the plan's verifier.
  package var planViolations: [String]
  package var llvmText: String
  package var object: ObjectFile
  package var program: Program
  /// Programs that do without an optimisation.
  package var variants: [Variant]
  /// Frames of each trial on a stream: enough for the longest delay to respond.
  package var frames: Int
  /// The values of all parameters in trials where they rest.
  package var settings: [Float]

  /// Says what is being done, for those who wait.
  package typealias Progress = (_ doing: String) -> Void

  /// - Parameter values: Where parameters stand that are not at their defaults, by name.
  package init(
    _ compilation: Compilation, settingParameters values: [String: Float] = [:],
    progress: Progress = { _ in }
  ) throws(ModelError) {
    let compiled = compilation.compiled
    progress("compiling")
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
    settings = graph.settings(values)
    frames = 3_000 + Self.memory(of: graph) + min(compiled.plan.latency, 200_000)
    progress("compiling without optimisations")
    variants = try Variant.all(of: compilation, program)
  }

  /// Delays beyond so many frames are not waited for, so that a verification takes seconds.
  private static let longestWait = 400_000

  /// Frames that one op looks back at most, of those that are waited for.
  static func memory(of graph: Graph) -> Int {
    graph.nodes.map(\.op.history).filter { $0 <= longestWait }.max() ?? 0
  }

  /// The shortest delay that gives nothing back in a trial; nil where all are waited for.
  var delayBeyond: Int? { graph.nodes.map(\.op.history).filter { $0 > Self.longestWait }.min() }

  /// The findings of all proofs and trials, in the order in which they are shown.
  package func findings(progress: Progress = { _ in }) throws(ModelError) -> [Finding] {
    progress("reading the code again")
    let proofs = proofs
    do throws(ContextError) { return proofs + (try laws(progress)) } catch { throw .code(error.description) }
  }

  var isStream: Bool { graph.clock == .stream }
}
