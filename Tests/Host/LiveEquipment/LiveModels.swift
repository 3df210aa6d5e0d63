// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
package import RealtimeCore
internal import TestEquipment

/// Models that are played, and what they read.
package enum LiveModels {
  /// A program of a model with one mono input `x` and one output.
  ///
  /// - Parameters:
  ///   - values: the values of its graph, `output` among them.
  ///   - parameters: as in a model file, by name.
  ///   - hasBypass: whether it can be bypassed.
  ///   - prewarm: frames of silence before the first one.
  package static func program(
    _ values: [String: String], parameters: [String: String] = [:], channels: Int? = nil,
    hasBypass: Bool = false, prewarm: Int = 0, output: String = "y"
  ) throws -> Program {
    func object(_ members: [String: String], _ form: (String) -> String) -> String {
      members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \(form($0.value))" }.joined(separator: ", ")
    }
    let shape = channels == nil ? "[\"frames\"]" : "[\"channels\", \"frames\"]"
    let text = """
      { "legato": 1, "name": "Live", "prewarm": \(prewarm), "inputs": { "x": { "shape": \(shape) } },
        "parameters": { \(object(parameters) { $0 }) },
        "graph": { \(object(values) { "\"\($0)\"" }) }, "outputs": ["\(output)"] }
      """
    let model = try Model(text).with(hasBypass ? [.bypass] : [])
    return try model.compile(channels: channels ?? 1, sampleRate: 48_000)
  }

  package static func noise(_ frames: Int, seed: UInt64 = 1) -> [Float] {
    var random = SplitMix(seed: seed)
    return (0..<frames).map { _ in random.float(-1, 1) }
  }
}
