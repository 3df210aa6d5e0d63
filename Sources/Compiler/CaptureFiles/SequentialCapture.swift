// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Captures that follow one another, each with weights of its own.
struct SequentialCapture: CaptureArchitecture {
  private let parts: [(network: any CaptureArchitecture, fields: CaptureFields)]

  init(_ config: CaptureFields, of fields: CaptureFields, size: Double) throws(CaptureError) {
    try config.check(["models", "layers", "weights_version"])
    let key = config.has("models") ? "models" : "layers"
    _ = try config.integer("weights_version", in: 2...2, standard: 2)
    var parts: [(network: any CaptureArchitecture, fields: CaptureFields)] = []
    for entry in try config.list(key) {
      let part = try entry.optionalFields("model") ?? entry
      try part.checkRate(of: fields)
      let network = try Capture.network(part, size: size)
      if let before = parts.last?.network, before.outputs != network.inputs {
        throw part.error(
          "config",
          "takes \(counted(network.inputs, "channel")), and \(before.outputs) come out of the one before")
      }
      parts.append((network, part))
    }
    self.parts = parts
  }

  var inputs: Int { parts[0].network.inputs }
  var outputs: Int { parts[parts.count - 1].network.outputs }
  var receptiveField: Int { parts.reduce(1) { $0 &+ $1.network.receptiveField &- 1 } }
  var settling: Int {
    let restless = parts.drop { $0.network.settling == 0 }.map(\.network)
    return restless.reduce(0) { $0 &+ $1.receptiveField &- 1 }
  }
  var hasParts: Bool { true }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    var signal = input
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let own = names.part("model\(index + 1)", output: isLast ? names.output : nil)
      let made = try Capture.write(part.network, part.fields, signal, names: own, in: &text)
      signal = CaptureSignal(signal: made, channels: part.network.outputs)
    }
    return signal.signal
  }
}

extension CaptureFields {
  /// Refuses a part that is for another rate than the whole.
  func checkRate(of whole: CaptureFields) throws(CaptureError) {
    guard let own = try optionalNumber("sample_rate"), let rate = try whole.optionalNumber("sample_rate"),
      own != rate
    else { return }
    throw error("sample_rate", "is \(written(own)) Hz, and that of the whole \(written(rate)) Hz")
  }
}
