// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import LoopAnalysis
internal import NativeCode

extension Compilation {
  /// Notes and warnings on the model, then those of the passes, in their order. Loops are analysed at each call.
  public var notes: [CompilationNote] { notes(settingParameters: [:]) }

  /// The same where parameters are set, by their names, before the first frame: some loops grow at some values only.
  ///
  /// - Parameter values: What is no parameter's name is passed over; others stand at their defaults.
  package func notes(settingParameters values: [String: Float]) -> [CompilationNote] {
    let graph = compiled.source
    let idle = graph.idleParameters.map { CompilationNote(idleParameter: $0, of: graph, file: file) }
    let growing = graph.growingLoops(settingParameters: graph.settings(values))
      .map { CompilationNote($0, pass: nil, file: file) }
    let told = compiled.reports.flatMap { report in
      report.notes.map { CompilationNote($0, pass: report.name, file: file) }
    }
    return idle + growing + told
  }

  /// Warnings on the model where parameters are set, one line each.
  package func warnings(settingParameters values: [String: Float] = [:]) -> [String] {
    notes(settingParameters: values).filter { $0.severity == .warning }.map(\.description)
  }

  /// The names of loops that grow without end where parameters are set.
  package func growingLoops(settingParameters values: [String: Float]) -> [String] {
    let graph = compiled.source
    return graph.growingLoops(settingParameters: graph.settings(values)).compactMap(\.subject)
  }
}

extension Graph {
  /// The values of all parameters, where some are set by their names and the others are at their defaults.
  func settings(_ values: [String: Float]) -> [Float] { parameters.map { values[$0.name] ?? $0.initial } }
}
