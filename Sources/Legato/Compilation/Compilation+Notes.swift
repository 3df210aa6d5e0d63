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
    let long = graph.longConvolutions.map { CompilationNote($0, pass: nil, file: file) }
    return idle + growing + long + told
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
  /// Warnings of convolutions along the frames that take many products.
  fileprivate var longConvolutions: [PassNote] {
    nodes.compactMap { node in
      guard case .layer(.convolution(let convolution)) = node.op.kind, convolution.axis == .frames,
        convolution.walks[0].kernelSize > Self.mostTaps
      else { return nil }
      let taps = convolution.walks[0].kernelSize
      let products = taps * shape(of: node.operands[1]).fixed[1]
      return PassNote(
        .warning, of: node.result, in: self,
        "its \(taps) taps take \(products) products for each frame of each channel; a shorter response costs less"
      )
    }
  }

  /// Some 85 ms at 48000 Hz.
  private static var mostTaps: Int { 4096 }

  /// The values of all parameters, where some are set by their names and the others are at their defaults.
  func settings(_ values: [String: Float]) -> [Float] { parameters.map { values[$0.name] ?? $0.initial } }
}
