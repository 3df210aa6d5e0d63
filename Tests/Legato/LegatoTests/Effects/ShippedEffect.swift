// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// A shipped model with some of its parameters set, to be run over signals.
struct ShippedEffect {
  let graph: Graph
  let native: NativeRun
  let settings: [String: Float]

  init(_ name: String, channels: Int = 1, sampleRate: Double = 48_000, _ settings: [String: Float] = [:])
    throws
  {
    let file = name.contains(".") ? name : "\(name).json"
    let model = try Model(contentsOf: PackageFiles.models.appending(path: file).path())
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, channels) })
    graph = try model.graph(extents: extents, sampleRate: sampleRate)
    native = try NativeRun(graph)
    self.settings = settings
  }

  /// A parameter turned at a frame.
  func turn(_ name: String, to value: Float, at frame: Int = 0) throws -> ParameterEvent {
    let index = try #require(graph.parameters.firstIndex { $0.name == name })
    return ParameterEvent(frame: frame, parameter: index, value: value)
  }

  private func outputs(_ rows: [[Float]], frames: Int, _ changes: [ParameterEvent] = []) throws -> [[Float]] {
    let first = try settings.sorted { $0.key < $1.key }.map { try turn($0.key, to: $0.value) }
    return try native.outputs(of: Stimulus(inputs: rows, frames: frames, changes: first + changes))
  }

  /// The outputs for inputs, a row for each channel.
  func callAsFunction(_ rows: [[Float]]) throws -> [[Float]] { try outputs(rows, frames: rows[0].count) }

  /// The frames that it plays without inputs.
  func play(_ frames: Int, _ changes: [ParameterEvent] = []) throws -> [[Float]] {
    try outputs([], frames: frames, changes)
  }

  func callAsFunction(_ row: [Float]) throws -> [Float] { try self([row])[0] }

  /// The gain at a frequency, of a linear effect.
  func gain(at frequencies: [Double], sampleRate: Double = 48_000) throws -> [Double] {
    let impulse = try self(FilterTests.impulse(1 << 15))
    return frequencies.map { response(of: impulse, at: $0, sampleRate: sampleRate).gain }
  }
}

/// 10^(dB / 20).
func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }

func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }
