// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Captures that follow one another.
///
///     "models": [{ "architecture": "ConvNet", "config": …, "weights": … }, …]      each a capture of its own
///     "models": [{ "channels": 2, "dilations": … }, …], "weights": …               as the trainer writes them
///
/// A part of the second kind is only its configuration: what network it is of, its fields say, and its weights are the
/// next ones of the whole. No player reads it: it sounds as in the trainer.
struct SequentialCapture: CaptureArchitecture {
  /// With the object that has its weights; nil where those are the whole's.
  private let parts: [(network: any CaptureArchitecture, fields: CaptureFields?)]

  init(_ config: CaptureFields, of whole: inout CaptureWhole) throws(CaptureError) {
    try config.check(["models", "layers", "weights_version"])
    let key = config.has("models") ? "models" : "layers"
    _ = try config.integer("weights_version", in: 2...2, standard: 2)
    var parts: [(network: any CaptureArchitecture, fields: CaptureFields?)] = []
    for entry in try config.list(key, of: "networks") {
      let part = try entry.optionalFields("model") ?? entry
      if part.path != entry.path { try entry.check(["model", "name"]) }
      let network: any CaptureArchitecture
      if let architecture = Self.architecture(ofBare: part) {
        network =
          architecture == "Linear"
          ? try LinearCapture(part, earliestFirst: true)
          : try Capture.network(architecture, part, of: &whole)
        parts.append((network, nil))
      } else {
        try whole.add(part)
        network = try Capture.network(part, of: &whole)
        parts.append((network, part))
      }
      if let before = parts.dropLast().last?.network, before.outputs != network.inputs {
        let name = part.has("config") ? part.name("config") : part.path
        throw CaptureError(
          place: part.place("config"),
          message:
            "\(name) takes \(counted(network.inputs, "channel")), and \(before.outputs) come out of the one before"
        )
      }
    }
    self.parts = parts
  }

  /// The network that a configuration by itself is of, by a field that no other has; nil for a whole capture, and for
  /// what is neither.
  private static func architecture(ofBare config: CaptureFields) -> String? {
    guard !config.has("architecture"), !config.has("config") else { return nil }
    let marks = [
      ("receptive_field", "Linear"), ("batchnorm", "ConvNet"), ("hidden_size", "LSTM"),
      ("head_scale", "WaveNet"),
      ("models", "Sequential"),
    ]
    return marks.first { config.has($0.0) }?.1
  }

  var inputs: Int { parts[0].network.inputs }
  var outputs: Int { parts[parts.count - 1].network.outputs }
  func memory(at rate: Int) -> Int { parts.reduce(0) { $0 + $1.network.memory(at: rate) } }
  var keepsSilence: Bool { parts.allSatisfy(\.network.keepsSilence) }

  /// A silent part hides nothing from the first that is not silent; those behind it rest after that one does.
  func settling(at rate: Int) -> Int {
    let restless = parts.drop(while: \.network.keepsSilence).map(\.network)
    guard let first = restless.first else { return 0 }
    return restless.dropFirst().reduce(first.settling(at: rate)) { $0 + $1.memory(at: rate) }
  }

  var hasParts: Bool { parts.allSatisfy { $0.fields != nil || $0.network.hasParts } }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var signal = input
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let own = names.part("model\(index + 1)", output: isLast ? names.output : nil)
      let made =
        if let fields = part.fields {
          try Capture.write(part.network, fields, signal, names: own, in: &text)
        } else { try part.network.write(signal, names: own, &cursor, in: &text) }
      signal = CaptureSignal(signal: made, channels: part.network.outputs)
    }
    return signal.signal
  }
}
