// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Loops that feed each other: of any number, in any number of channels, of one form or of forms that differ in what
/// they hand on.
@Suite struct WavefrontTests {
  /// One of the loops, which reads the stream `from`.
  private static func loop(_ index: Int, form: Int, from: String) -> String {
    let (name, gain) = ("y\(index)", 0.9 - 0.07 * Double(index % 9))
    switch form {
    case 0: return "\(name) = \(from) * 0.1 + \(gain) * delay(\(name), 1)"
    // Second order, and what is handed on is not what is remembered.
    case 1:
      return """
        m\(index) = \(from) + \(gain) * delay(m\(index), 1) - 0.3 * delay(m\(index), 2)
        \(name) = m\(index) - 0.5 * delay(m\(index), 1) + level * \(from)
        """
    // Two states that read each other; each third loop mixes them in another way.
    case 2:
      let mix =
        switch index % 3 {
        case 0: "\(name) = \(from) + level * b\(index)"
        case 1: "\(name) = \(from) * level + b\(index) * 0.25 + l\(index) * (1 - level)"
        default: "\(name) = tanh(l\(index)) - \(from)"
        }
      return """
        w\(index) = 0.2 * (\(from) - delay(r\(index), 1) - 0.7 * delay(q\(index), 1))
        b\(index) = delay(q\(index), 1) + w\(index)
        q\(index) = delay(q\(index), 1) + 2 * w\(index)
        l\(index) = delay(r\(index), 1) + 0.1 * b\(index)
        r\(index) = delay(r\(index), 1) + 0.2 * b\(index)
        \(mix)
        """
    // Nothing linear, and another stream beside the one that is handed on.
    default: return "\(name) = tanh(\(from) * level + \(gain) * delay(\(name), 3)) * 0.9 + 0.1 * x"
    }
  }

  private static func graph(form: Int, loops: Int, channels: Int) -> String {
    let body = (0..<loops).map { loop($0, form: form, from: $0 == 0 ? "x" : "y\($0 - 1)") }
    return """
      graph "chain" stream 48000
      input x [\(channels), frames]
      parameter level [frames] = 0.5 minimum 0 maximum 1 ramp 150 scale linear
      \(body.joined(separator: "\n"))
      output y = y\(loops - 1)
      """
  }

  /// A form, how many loops, and how many channels.
  private static let cases = [
    (0, 2, 1), (0, 9, 16), (0, 40, 1), (1, 3, 5), (1, 8, 2), (2, 3, 1), (2, 8, 2), (2, 16, 3), (3, 2, 2),
    (3, 5, 8),
  ]

  @Test(arguments: cases) func allLawsHold(form: Int, loops: Int, channels: Int) throws {
    let graph = try Graph(parsing: Self.graph(form: form, loops: loops, channels: channels))
    let seed = UInt64(form + 4 * loops + channels)
    let example = LawCase(
      label: "form \(form), \(loops) loops, \(channels) channels", graph: graph, seed: seed)
    try Laws(example).check(seed: seed)
    for target in Target.runnable {
      let plan = try CompiledGraph(graph, options: CompileOptions(target: target)).plan
      #expect(plan.wavefronts > 0, "\(target)")
    }
  }

  /// The result of a loop in the middle that another kernel reads, too, is not only handed on.
  @Test(arguments: ["y5 + tanh(y2)", "y5 + sum(y2, axis: 0)"]) func othersHearALoopInTheMiddle(
    output: String
  ) throws {
    let loops = (0..<6).map { Self.loop($0, form: 0, from: $0 == 0 ? "x" : "y\($0 - 1)") }
    let graph = try Graph(
      parsing: """
        graph "chain" stream 48000
        input x [2, frames]
        \(loops.joined(separator: "\n"))
        out = \(output)
        output out = out
        """)
    for target in Target.runnable where target.lanes > 4 {
      let plan = try CompiledGraph(graph, options: CompileOptions(target: target)).plan
      #expect(plan.wavefronts == 2, "\(target.name)")
    }
    try Laws(LawCase(label: output, graph: graph, seed: 3)).check(seed: 3)
  }

  /// A cycle goes in spans of its length, and within each of them the loops that it holds go side by side.
  @Test(arguments: [40, 100]) func loopsWithinACycleAreOne(length: Int) throws {
    let loops = (0..<8).map { Self.loop($0, form: 1, from: $0 == 0 ? "heard" : "y\($0 - 1)") }
    let graph = try Graph(
      parsing: """
        graph "chain" stream 48000
        input x [2, frames]
        parameter level [frames] = 0.5 minimum 0 maximum 1 ramp 150 scale linear
        heard = x + 0.001 * delay(sent, \(length))
        \(loops.joined(separator: "\n"))
        sent = tanh(y7)
        output y = sent
        """)
    let seed = try #require((0..<100).first { Laws.switches(seed: $0).contains("loop-chaining") })
    try Laws(LawCase(label: "a chain in \(length) frames", graph: graph, seed: seed)).check(seed: seed)
    for target in Target.runnable {
      let plan = try CompiledGraph(graph, options: CompileOptions(target: target)).plan
      #expect(plan.wavefronts > 0, "\(target)")
    }
  }

  /// All bands of the equalizer, which differ in how they mix, are one wavefront.
  @Test(arguments: [1, 2, 8]) func theEqualizerIsOneWavefront(channels: Int) throws {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: "eq8.json").path())
    let graph = try model.graph(extents: ["channels": channels], sampleRate: 48_000)
    let plan = try CompiledGraph(graph, options: CompileOptions(target: .host())).plan
    #expect(plan.wavefronts == 1)
    let cycles = plan.kernelGraph.kernels.filter { if case .cycle = $0 { true } else { false } }
    #expect(cycles.count == 1)
  }
}
