// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// The laws over every model that is shipped, at some rates and with some widths of each symbolic extent.
@Suite struct ShippedModelTests {
  static let names = PackageFiles.shippedModels

  /// At a low rate the trials reach what long delays give back.
  static let rates = [48_000.0, 480]

  func graph(_ name: String, extent: Int, sampleRate: Double = 48_000) throws -> Graph {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: name).path())
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, extent) })
    // One that holds a capture has the capture's rate.
    return try model.graph(extents: extents, sampleRate: model.sampleRate ?? sampleRate)
  }

  @Test func thereAreSome() { #expect(Self.names.count >= 3) }

  private static func place(of name: String) -> Int { names.firstIndex(of: name) ?? 0 }

  /// Rates and widths that each model is tried with: one that reaches what long delays give back, and one of those that
  /// music has; neighbours in the list have others.
  static func points(_ name: String) -> [(sampleRate: Double, extent: Int)] {
    let others = [
      (48_000.0, 1), (44_100, 3), (96_000, 8), (192_000, 2), (44_100, 6), (88_200, 4), (192_000, 5),
      (48_000, 1), (96_000, 7), (176_400, 3),
    ]
    return [(480, 2), others[place(of: name) % others.count]]
  }

  @Test(arguments: names, [0, 1]) func allLawsHold(name: String, point: Int) throws {
    let (sampleRate, extent) = Self.points(name)[point]
    let graph = try graph(name, extent: extent, sampleRate: sampleRate)
    // Of the seeds each switches off other passes.
    let seed = UInt64(5 + (2 * Self.place(of: name) + point) % 3)
    let label = "\(name) of \(extent) at \(sampleRate) Hz"
    try Laws(LawCase(label: label, graph: graph, seed: seed)).check(seed: seed)
  }

  /// A damaged model that is still read is compiled as well, without an end by force.
  @Test(.timeLimit(.minutes(30)), arguments: ["amplifier.json", "echo.json", "eq8.json"], UInt64(1)...4)
  func damagedModelsCompile(name: String, seed: UInt64) throws {
    let whole = [UInt8](try Data(contentsOf: PackageFiles.models.appending(path: name)))
    var random = SplitMix(seed: seed)
    var met: Set<String> = [try graph(name, extent: 1).description]
    for _ in 0..<1000 where met.count < 8 {
      var bytes = whole
      random.damage(&bytes)
      guard let text = String(validating: bytes, as: UTF8.self), let model = try? Model(text) else {
        continue
      }
      let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 1) })
      guard let graph = try? model.graph(extents: extents, sampleRate: 48_000),
        met.insert(graph.description).inserted
      else { continue }
      let compiled = try CompiledGraph(graph, options: CompileOptions(target: .host()))
      #expect(PlanVerifier.violations(in: compiled.plan).isEmpty && !compiled.llvmText.isEmpty, "\(text)")
    }
    #expect(met.count == 8, "hardly any other model is left")
  }

  /// Laws 2 and 4, for input up to ±16 and parameters all over their ranges.
  @Test(arguments: names, rates) func staysFiniteAndOffJumps(name: String, sampleRate: Double) throws {
    let graph = try graph(name, extent: 1, sampleRate: sampleRate)
    var random = SplitMix(seed: 1)
    let frames = 2000
    let inputs = (0..<graph.inputs.reduce(0) { $0 + $1.type.shape.count }).map { _ in
      (0..<frames).map { random.float(-1, 1) * Float($0 / 500 < 2 ? 1 : 16) }
    }
    let changes = (0..<40).flatMap { turn in
      graph.parameters.indices.map { index in
        let range = graph.parameters[index]
        let value = random.pick([
          range.minimum, range.maximum, random.float(Double(range.minimum), Double(range.maximum)),
        ])
        return ParameterEvent(frame: turn * 50, parameter: index, value: value)
      }
    }
    let stimulus = Stimulus(inputs: inputs, frames: frames, changes: changes)
    let example = LawCase(label: name, graph: graph, stimulus: stimulus)
    let outputs = try NativeRun(graph).outputs(of: stimulus)
    #expect(outputs.allSatisfy { $0.allSatisfy(\.isFinite) })
    let reference = ReferenceInterpreter(graph).run(inputs: inputs, frames: frames, events: changes)
    example.expectInside(outputs, reference, "native code is right")
    print("\(name) at \(sampleRate) Hz: \(reference.shareOnJumps * 100) % of the numbers sit on a jump")
    if sampleRate == Self.rates[0] {
      #expect(reference.shareOnJumps < 0.01)
      #expect(graph.components().contains(where: graph.isCycle) || reference.shareUnbounded < 0.01)
    }
  }

  /// Law 5: an impulse is first heard after as many frames as planned, where it is mixed with what comes later.
  @Test(arguments: names) func plannedLatencyIsMeasured(name: String) throws {
    let graph = try graph(name, extent: 1)
    let native = try NativeRun(graph)
    let mixed = graph.parameters.firstIndex { $0.name == "mix" }.map {
      ParameterEvent(frame: 0, parameter: $0, value: 0.5)
    }
    var inputs = [[Float]](
      repeating: [Float](repeating: 0, count: 500), count: graph.inputs.reduce(0) { $0 + $1.type.shape.count }
    )
    guard !inputs.isEmpty else { return #expect(native.plan.latency == 0) }
    func outputs() throws -> [[Float]] {
      let changes = mixed.map { [$0] } ?? []
      return try native.outputs(of: Stimulus(inputs: inputs, frames: 500, changes: changes))
    }
    let silence = try outputs()
    for row in inputs.indices { inputs[row][100] = 1 }
    let impulse = try outputs()
    let first = (0..<500).first { frame in zip(impulse, silence).contains { $0[frame] != $1[frame] } }
    #expect(first == 100 + native.plan.latency)
  }
}
