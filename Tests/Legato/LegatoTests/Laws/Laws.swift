// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import TestEquipment

/// The laws of DESIGN.md that hold for every graph, checked for one.
struct Laws {
  static let blockSizes = [1, 2, 3, 7, 16, 63, 64, 65, 128, 1000]

  /// The switches behind the passes on the graph.
  static let kernelSwitches = Set(Pipeline.kernelSwitches)

  /// Those that are switched off by themselves: two with each seed, so that four seeds in a row have them all.
  static func switches(seed: UInt64) -> [String] {
    let all = kernelSwitches.sorted()
    return (0..<2).map { all[(2 * Int(seed % UInt64(all.count)) + $0) % all.count] }
  }

  let example: LawCase
  private var graph: Graph { example.graph }
  private var stimulus: Stimulus { example.stimulus }
  private let objects = ObjectCache()

  init(_ example: LawCase) { self.example = example }

  private func compiled(for target: Target? = nil, without passes: Set<String> = []) throws -> NativeRun {
    try compiled(Pipeline(disabled: passes), for: target)
  }

  private func compiled(_ pipeline: Pipeline, for target: Target? = nil) throws -> NativeRun {
    let target = try target ?? .host()
    return try NativeRun(graph, options: CompileOptions(target: target, pipeline: pipeline), objects: objects)
  }

  /// Checks all of them for the machine at hand, and some of them for one of the other targets, chosen by the seed.
  /// Kernel passes are switched off all at once, and those by themselves whose turn it is.
  func check(seed: UInt64) throws {
    textReadsBack()
    let native = try compiled()
    let right = try native.outputs(of: stimulus, blocks: [stimulus.frames])
    let reference = ReferenceInterpreter(graph.canonical()).run(
      inputs: stimulus.inputs, frames: stimulus.frames, events: stimulus.changes)
    example.expectInside(right, reference, "native code is right")
    var random = SplitMix(seed: seed)
    try splitsDoNotMatter(native, right, &random)
    try beginningAnewIsFresh(native, right)
    try contextsDoNotTouch(native, right)
    try inPlaceIsTheSame(native, right)
    example.expectSame(
      try native.outputsWithPoison(of: stimulus, blocks: [50, 128, 1]), as: right, "no stale memory is read")
    try denormalsAreZeros(native)
    try switchesDoNotMatter(seed, right, reference)
    try otherTargets(seed, reference)
  }

  private func otherTargets(_ seed: UInt64, _ reference: ReferenceInterpreter.Result) throws {
    let targets = Target.runnable
    guard !targets.isEmpty else { return }
    let target = targets[Int(seed) % targets.count]
    let native = try compiled(for: target)
    let right = try native.outputs(of: stimulus, blocks: [stimulus.frames])
    example.expectInside(right, reference, "\(target.name) is right")
    example.expectSame(
      try native.outputs(of: stimulus, blocks: [1, 17, 128, 3]), as: right,
      "\(target.name): splits do not matter")
    example.expectSame(
      try native.outputs(of: stimulus, inPlace: true), as: right, "\(target.name): in place is the same")
    let plain = try compiled(for: target, without: Self.kernelSwitches)
    example.expectSame(
      try plain.outputs(of: stimulus), as: right, flushed: true,
      "\(target.name): kernel passes change no bit")
  }

  /// Law 1.
  private func splitsDoNotMatter(
    _ native: NativeRun, _ right: [[Float]], _ random: inout SplitMix
  ) throws {
    var splits = graph.clock == .stream ? Self.blockSizes.map { [$0] } : [[1]]
    splits += (0..<3).map { _ in (0..<9).map { _ in 1 + random.below(random.pick([4, 70, 300])) } }
    for blocks in splits {
      example.expectSame(
        try native.outputs(of: stimulus, blocks: blocks), as: right, "blocks of \(blocks) do not matter")
    }
  }

  /// Law 3: reset, with the parameters as they were at first, gives a fresh context.
  private func beginningAnewIsFresh(_ native: NativeRun, _ right: [[Float]]) throws {
    let playback = try Playback(stimulus, through: native.program)
    playback.finish()
    for parameter in playback.context.parameters { parameter.set(parameter.range.initial) }
    playback.context.reset()
    playback.rewind()
    playback.finish()
    example.expectSame(playback.outputs, as: right, "reset gives a fresh context")
  }

  /// Law 3: two contexts of one program, one a few blocks ahead.
  private func contextsDoNotTouch(_ native: NativeRun, _ right: [[Float]]) throws {
    let playbacks = try (0..<2).map { _ in try Playback(stimulus, through: native.program) }
    while !playbacks[1].isFinished {
      if !playbacks[0].isFinished { playbacks[0].advance(by: 100) }
      if !playbacks[0].isFinished { playbacks[0].advance(by: 30) }
      playbacks[1].advance(by: 77)
    }
    playbacks[0].finish()
    for playback in playbacks {
      example.expectSame(playback.outputs, as: right, "contexts do not touch each other")
    }
  }

  /// Law 4: what is too small for a normal number counts as zero.
  private func denormalsAreZeros(_ native: NativeRun) throws {
    var flushed = stimulus
    flushed.inputs = stimulus.inputs.map { $0.map(\.flushed) }
    // Rows that are merely moved keep their bits.
    example.expectSame(
      try native.outputs(of: stimulus), as: try native.outputs(of: flushed), flushed: true,
      "denormals count as zero")
  }

  /// Law 6.
  private func textReadsBack() {
    let canonical = graph.canonical()
    do {
      let read = try Graph(parsing: canonical.description)
      if read != canonical { example.report("print, parse, print is the identity", "\(read)") }
      if read.description != canonical.description {
        example.report("print, parse, print is the identity", read.description)
      }
    } catch {
      example.report("print, parse, print is the identity", "\(error)")
    }
  }

  /// Law 7. Which sums become fused multiplications may change bits, so that both sides have none.
  private func switchesDoNotMatter(
    _ seed: UInt64, _ right: [[Float]], _ reference: ReferenceInterpreter.Result
  ) throws {
    for name in Self.switches(seed: seed) {
      let without = try compiled(without: [name])
      example.expectSame(
        try without.outputs(of: stimulus), as: right, flushed: true, "\(name) changes no bit")
      example.expectSame(
        try without.outputs(of: stimulus, blocks: [50, 128, 1], inPlace: true), as: right, flushed: true,
        "without \(name), in place is the same")
    }
    let lowered = try compiled(without: Self.kernelSwitches)
    let apart = try lowered.outputs(of: stimulus)
    example.expectSame(apart, as: right, flushed: true, "kernel passes change no bit")
    example.expectSame(
      try lowered.outputs(of: stimulus, inPlace: true), as: apart, "without passes, in place is the same")
    let plain = try compiled(.none)
    let shared = try compiled(Pipeline(only: ["common-subexpressions"]))
    let outputs = try plain.outputs(of: stimulus)
    example.expectInside(outputs, reference, "native code without passes is right")
    example.expectSame(
      try shared.outputs(of: stimulus), as: outputs, flushed: true, "common subexpressions change no bit")
  }

  /// Law 8.
  private func inPlaceIsTheSame(_ native: NativeRun, _ right: [[Float]]) throws {
    for blocks in [[128], [1, 5, 64, 300]] {
      example.expectSame(
        try native.outputs(of: stimulus, blocks: blocks, inPlace: true), as: right, "in place is the same")
    }
  }
}
