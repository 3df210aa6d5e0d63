// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphDrawing
internal import GraphGradients
package import GraphIR
internal import GraphPlanning
internal import ModelFiles
package import NativeCode
public import RealtimeCore

/// A model compiled for some extents and a sample rate, with every stage to look at.
public struct Compilation: Sendable {
  package let compiled: CompiledGraph
  let options: CompileOptions
  /// The model's file as it was named, or its name where there is no file.
  package let file: String

  /// - Parameter file: What notes call the model's file; without one, they say the model's name.
  package init(_ graph: Graph, _ options: CompilerOptions, file: String? = nil) throws(ModelError) {
    let options = try options.lowered()
    self.options = options
    do throws(PlanError) {
      compiled = try CompiledGraph(graph, options: options)
    } catch {
      throw ModelError(error, in: graph, file: file)
    }
    self.file = file ?? graph.name
  }

  /// The graph as it was imported, in the text form.
  public var graphText: String { compiled.source.description }

  /// The kernels, and where everything stands in memory, as text.
  public var planText: String { compiled.plan.description }

  /// The graph as it was imported beside its kernels and their memory, drawn as an SVG document.
  public var svgText: String { GraphPicture(of: compiled.source, compiled.plan).svg }

  /// The LLVM IR of all kernels.
  public var llvmText: String { compiled.llvmText }

  /// Ports, parameters and memory of the programs that come of it.
  public var layout: ProgramLayout { compiled.plan.programLayout }

  /// Bytes of the packed weights, which all contexts share.
  public var weightsBytes: Int { compiled.plan.kernelGraph.weights.count * MemoryLayout<Float>.stride }

  /// The name of the CPU that the code is for: LLVM's, or the architecture's where it is any of them.
  public var cpu: String { compiled.plan.target.name }

  /// Bytes of the machine code.
  ///
  /// - Throws: `ModelError.code` where libLLVM is missing.
  public func codeBytes() throws(ModelError) -> Int {
    do throws(NativeCodeError) { return try compiled.object().codeBytes } catch { throw ModelError(error) }
  }

  /// The machine code as assembly.
  ///
  /// - Throws: `ModelError.code` where libLLVM is missing.
  public func assembly() throws(ModelError) -> String {
    do throws(NativeCodeError) { return try compiled.assembly() } catch { throw ModelError(error) }
  }

  /// The program, ready for contexts.
  ///
  /// - Throws: `ModelError.code` where libLLVM is missing, or the code is for a CPU that this machine does not have.
  public func program() throws(ModelError) -> Program { try program(settledAt: [:]) }

  /// The program, with other values of parameters than the initial ones while it warms up.
  package func program(settledAt values: [String: Float]) throws(ModelError) -> Program {
    do throws(NativeCodeError) { return try compiled.program(settledAt: values) } catch {
      throw ModelError(error)
    }
  }
}

extension Model {
  /// Binds the model's symbolic extents and compiles it, keeping every stage.
  ///
  /// - Parameters:
  ///   - extents: A number for each of `symbols`.
  ///   - sampleRate: Frames per second; ramps, and `sampleRate` in expressions, follow it. nil is the model's own, or
  ///     48000 where it states none; of a model that states one, no other is taken.
  ///   - options: What code is made for, and how.
  /// - Throws: `ModelError.invalid` with every problem of the model; `ModelError.code` where code cannot be made.
  public func compilation(
    extents: [String: Int] = [:], sampleRate: Double? = nil, options: CompilerOptions = CompilerOptions()
  ) throws(ModelError) -> Compilation {
    try Compilation(
      graph(extents: extents, sampleRate: sampleRate), options, file: document.file)
  }

  /// Binds the model's symbolic extents and compiles it to a program.
  ///
  /// - Parameters:
  ///   - channels: What every symbolic extent of the model is bound to.
  ///   - sampleRate: Frames per second; ramps, and `sampleRate` in expressions, follow it. nil is the model's own, or
  ///     48000 where it states none; of a model that states one, no other is taken.
  ///   - options: What code is made for, and how.
  ///   - report: Takes what the compiler has to tell of the model, one after the other, before code is made.
  /// - Throws: `ModelError.invalid` with every problem of the model; `ModelError.code` where code cannot be made.
  public func compile(
    channels: Int = 1, sampleRate: Double? = nil, options: CompilerOptions = CompilerOptions(),
    report: (CompilationNote) -> Void = { _ in }
  ) throws(ModelError) -> Program {
    let extents = Dictionary(uniqueKeysWithValues: symbols.map { ($0, channels) })
    let compilation = try compilation(extents: extents, sampleRate: sampleRate, options: options)
    compilation.notes.forEach(report)
    return try compilation.program()
  }

  /// The graph that the model declares.
  package func graph(extents: [String: Int], sampleRate: Double?) throws(ModelError) -> Graph {
    do throws(Diagnostics) {
      return try batched(Graph(importing: bound(to: extents), extents: extents, sampleRate: sampleRate))
    } catch {
      throw ModelError(error)
    }
  }

  /// The model with numbers for the axes that ONNX files of it only name.
  func bound(to extents: [String: Int]) throws(Diagnostics) -> ComposedModel {
    let family = composed.family
    guard family.isOpen else { return composed }
    return ComposedModel(try family.bound(to: extents), controls: composed.composition.controls)
  }

  private func batched(_ graph: Graph) throws(Diagnostics) -> Graph {
    guard let batch else { return graph }
    do throws(TypingError) { return try graph.batched(by: batch) } catch {
      throw Diagnostics([
        Diagnostic(
          file: document.file, place: nil,
          message: "a batch of \(batch) cannot be made of \(quoted(name)): \(error.description)")
      ])
    }
  }
}

extension ModelError {
  /// The error of a graph's plan as the model's, at the value that takes most of the memory.
  ///
  /// - Parameter file: The model's; nil where only its name is known.
  init(_ error: PlanError, in graph: Graph, file: String? = nil) {
    let largest = graph.nodes.max { graph.bytes(of: $0) < graph.bytes(of: $1) }
    let place = largest.flatMap { graph.origins.places[$0.result] }
    self.init(
      Diagnostics([
        Diagnostic(
          file: place?.file ?? file ?? graph.name, place: place?.inFile(nil), message: error.description)
      ]))
  }
}

extension Graph {
  /// The bytes of a node's state and of 128 frames of its result, roughly.
  fileprivate func bytes(of node: Node) -> Int {
    let shape = shape(of: node.result)
    return stateBytes(of: node) + (shape.frames == nil ? 4 : 512) * min(shape.count, Limits.elements)
  }
}
