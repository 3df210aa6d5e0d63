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
  /// Frames of each trial, or steps: enough for the longest delay to respond, unless that takes too long.
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
    // The interpreter looks at weights that were let go when they were packed.
    do throws(Numbers.Unavailable) {
      for array in graph.weights { try array.values.makeAgain() }
    } catch {
      throw ModelError(.weights(error), in: graph, file: compilation.file)
    }
    settings = graph.settings(values)
    frames = Self.frames(of: graph, latency: compiled.plan.latency)
    progress("compiling without optimisations")
    variants = try Variant.all(of: compilation, program)
  }

  /// Delays beyond so many frames are not waited for, so that a verification takes seconds.
  private static let longestWait = 400_000
  /// The most numbers that a trial computes, roughly: the interpreter takes some seconds for them.
  private static let mostNumbers = 20_000_000
  /// The most numbers of its output that a trial keeps; in double precision, with their radius, each takes 32 bytes.
  private static let mostKept = 2_000_000
  /// The steps of a whole trial.
  private static let steps = 24

  /// The frames, or steps, of a whole trial.
  private static func wholeTrial(of graph: Graph, latency: Int) -> Int {
    graph.clock == .stream ? 3_000 + memory(of: graph) + min(latency, 200_000) : steps
  }

  /// The frames of a trial that takes seconds: a whole one, or as many as so large a model has time for.
  private static func frames(of graph: Graph, latency: Int) -> Int {
    min(wholeTrial(of: graph, latency: latency), mostFrames(of: graph))
  }

  /// The frames, or steps, that there is time and memory for.
  static func mostFrames(of graph: Graph) -> Int {
    let kept = graph.outputs.reduce(0) { $0 + graph.shape(of: $1.value).count }
    let most = min(mostNumbers / max(1, graph.numbersInFrame), mostKept / max(1, kept))
    return max(graph.clock == .stream ? 128 : 1, most)
  }

  /// Whether the interpreter has time for the frames that run in silence, beside those of a trial.
  var hasTimeToWarm: Bool { graph.prewarm * graph.numbersInFrame <= Self.mostNumbers / 4 }

  /// The same code, and the same meaning, without the silence before the first frame.
  func cold() throws(ContextError) -> Verification {
    var result = self
    result.graph.prewarm = 0
    do throws(ProgramError) {
      result.program = try program.cold()
    } catch {
      throw .outOfMemory(bytes: program.workspaceSize)
    }
    return result
  }

  /// The frames that a trial would have where time and memory did not matter; nil where it has them.
  var framesOfWholeTrial: Int? {
    let whole = Self.wholeTrial(of: graph, latency: plan.latency)
    return frames < whole ? whole : nil
  }

  /// Frames that one op looks back at most, of those that are waited for.
  static func memory(of graph: Graph) -> Int {
    graph.nodes.map(\.op.history).filter { $0 <= longestWait }.max() ?? 0
  }

  /// The shortest delay that gives nothing back in a trial; nil where all are waited for.
  var delayBeyond: Int? { graph.nodes.map(\.op.history).filter { $0 >= frames }.min() }

  /// The findings of all proofs and trials, in the order in which they are shown.
  package func findings(progress: Progress = { _ in }) throws(ModelError) -> [Finding] {
    progress("reading the code again")
    let proofs = proofs
    do throws(ContextError) { return proofs + (try laws(progress)) } catch { throw .code(error.description) }
  }

  var isStream: Bool { graph.clock == .stream }
}

extension Graph {
  /// The numbers that a frame, or a step, takes, inputs and the terms of sums included. What stays the same from frame
  /// to frame, as a table does, takes none.
  var numbersInFrame: Int {
    nodesOfEachFrame.reduce(0) { $0 + numbers(of: self[$1]) }
  }

  private func numbers(of node: Node) -> Int {
    let count = shape(of: node.result).count
    switch node.op.kind {
    case .given, .elementwise, .movement, .time, .source: return count
    case .reduction: return shape(of: node.operands[0]).count
    case .layer: return count * shape(of: node.operands[1]).fixed.dropFirst().reduce(1, *)
    case .contraction: return count * shape(of: node.operands[0]).fixed.last!
    }
  }
}
