// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import Testing

/// A graph as an object file, linked with a small program in C, to be run over signals in a process of its own.
///
///     graph ─▶ model.o, model.h ─┐
///                     driver.c ──┴▶ run: orders in, samples out
///
/// The program uses no library at all, so that one for another machine needs nothing but an emulator.
final class ObjectRun {
  private let folder: URL
  private let plan: Plan
  private let launcher: [String]

  /// Builds the program, with every warning of the C compiler an error.
  init(_ graph: Graph, target: Target, standard: String = "c99") throws {
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: target))
    plan = compiled.plan
    let header = CHeader(plan, prefix: "model")
    let object = try compiled.libraryObject(exporting: header.symbol)
    launcher = try target.runsHere ? [] : Emulator.command
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "legato-object-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(object.bytes).write(to: file("model.o"))
    try Data(header.text.utf8).write(to: file("model.h"))
    let driver = try #require(
      Bundle.module.url(forResource: "driver", withExtension: "c", subdirectory: "ObjectDriver"))
    let compiler = try Subprocess(
      [
        "clang", "--target=\(target.triple)", "-x", standard.hasPrefix("c++") ? "c++" : "c",
        "-std=\(standard)", "-O2",
        "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding", "-fno-exceptions", "-I", folder.path,
        driver.path, "-x", "none", file("model.o").path, "-nostdlib", "-static", "-fuse-ld=lld", "-o",
        file("run").path,
      ])
    let messages = try compiler.finish()
    try #require(compiler.code == 0, "the C compiler: \(String(decoding: messages, as: UTF8.self))")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// The outputs from a workspace that was garbage, executed in blocks whose sizes are taken in turn.
  func outputs(of stimulus: Stimulus, blocks: [Int] = [128]) throws -> [[Float]] {
    var orders = Orders(plan, stimulus)
    orders.begin()
    orders.play(blocks)
    return try run(orders)
  }

  /// The same after a run over the same signal, a reset, and setting parameters to their first values.
  func outputsAfterReset(of stimulus: Stimulus) throws -> [[Float]] {
    var orders = Orders(plan, stimulus)
    orders.begin()
    orders.play([77])
    orders.reset()
    orders.play([128])
    return try run(orders)
  }

  /// How many samples each delay by a signal was asked for outside of its range, in a run after another one and a
  /// reset.
  func samplesOutside(of stimulus: Stimulus) throws -> [Int] {
    var orders = Orders(plan, stimulus)
    orders.begin()
    orders.play([100])
    orders.reset()
    orders.play([128])
    orders.count()
    let bytes = try answer(to: orders).suffix(8 * plan.programLayout.signalDelays.count)
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).map { first in
      bytes[first..<first + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }

  private func run(_ orders: Orders) throws -> [[Float]] { orders.rows(of: try answer(to: orders)) }

  private func answer(to orders: Orders) throws -> [UInt8] {
    let process = try Subprocess(launcher + [file("run").path], input: orders.finished, in: folder)
    let bytes = try process.finish()
    try #require(process.code == 0, "the driver ends with \(process.code)")
    return [UInt8](bytes)
  }
}

/// The orders to the driver, and the places of samples in its answer.
private struct Orders {
  private let plan: Plan
  private let stimulus: Stimulus
  private let inputUnits: [Int]
  private let outputUnits: [Int]
  private var bytes: [UInt8] = []
  /// Frames of the blocks since the last beginning, and the samples that come before them.
  private var played: [Int] = []
  private var skipped = 0

  init(_ plan: Plan, _ stimulus: Stimulus) {
    self.plan = plan
    self.stimulus = stimulus
    let layout = plan.programLayout
    inputUnits = layout.inputs.flatMap { [Int](repeating: $0.rowLength ?? 1, count: $0.rows) }
    outputUnits = layout.outputs.flatMap { [Int](repeating: $0.rowLength ?? 1, count: $0.rows) }
  }

  var finished: [UInt8] { bytes + [0, 0, 0, 0] }

  mutating func begin() { append(1) }

  mutating func count() { append(5) }

  /// Parameters are set first: what a reset holds on to are their last values.
  mutating func reset() {
    skipped += played.reduce(0, +) * outputUnits.reduce(0, +)
    played = []
    for (index, parameter) in plan.graph.parameters.enumerated() { set(index, parameter.initial) }
    append(2)
  }

  mutating func play(_ blocks: [Int]) {
    let isStream = plan.graph.clock == .stream
    var pending = stimulus.changes[...]
    var (frame, turn) = (0, 0)
    while frame < stimulus.frames {
      while let change = pending.first, change.frame <= frame {
        set(change.parameter, change.value)
        pending.removeFirst()
      }
      let most = isStream ? blocks[turn % blocks.count] : 1
      let count = min(most, min(stimulus.frames, pending.first?.frame ?? stimulus.frames) - frame)
      append(4)
      append(UInt32(count))
      for (row, unit) in zip(stimulus.inputs, inputUnits) {
        append(UInt32(count * unit))
        for sample in row[frame * unit..<(frame + count) * unit] { append(sample.bitPattern) }
      }
      for unit in outputUnits { append(UInt32(count * unit)) }
      played.append(count)
      frame += count
      turn += 1
    }
  }

  private mutating func set(_ parameter: Int, _ value: Float) {
    append(3)
    append(UInt32(parameter))
    append(value.bitPattern)
  }

  private mutating func append(_ word: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
  }

  /// The outputs' rows since the last beginning.
  func rows(of answer: [UInt8]) -> [[Float]] {
    var place = skipped * 4
    var rows = outputUnits.map { _ in [Float]() }
    for count in played {
      for (row, unit) in outputUnits.enumerated() {
        for _ in 0..<count * unit {
          guard place + 4 <= answer.count else { return rows }
          let bits = answer[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
          rows[row].append(Float(bitPattern: bits))
          place += 4
        }
      }
    }
    return rows
  }
}
