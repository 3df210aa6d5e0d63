// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Captures that follow one another, each with weights of its own.
struct SequentialCapture: CaptureArchitecture {
  private let parts: [(network: any CaptureArchitecture, fields: CaptureFields)]

  init(_ config: CaptureFields, of whole: inout CaptureWhole) throws(CaptureError) {
    try config.check(["models", "layers", "weights_version"])
    let key = config.has("models") ? "models" : "layers"
    _ = try config.integer("weights_version", in: 2...2, standard: 2)
    var parts: [(network: any CaptureArchitecture, fields: CaptureFields)] = []
    for entry in try config.list(key) {
      let part = try entry.optionalFields("model") ?? entry
      if part.path != entry.path { try entry.check(["model", "name"]) }
      try whole.add(part)
      let network = try Capture.network(part, of: &whole)
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
  func memory(at rate: Int) -> Int { parts.reduce(0) { $0 + $1.network.memory(at: rate) } }
  var keepsSilence: Bool { parts.allSatisfy(\.network.keepsSilence) }

  /// What is silent hides nothing from the first that is not; what follows rests after that one does.
  func settling(at rate: Int) -> Int {
    let restless = parts.drop(while: \.network.keepsSilence).map(\.network)
    guard let first = restless.first else { return 0 }
    return restless.dropFirst().reduce(first.settling(at: rate)) { $0 + $1.memory(at: rate) }
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
