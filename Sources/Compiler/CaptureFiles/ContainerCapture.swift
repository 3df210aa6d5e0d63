// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// One capture in several sizes, of which one is taken.
///
///     "submodels": [{ "max_value": 0.5, "model": … }, { "max_value": 1, "model": … }]
///
///     size  0 … 0.5: the first, 0.5 … 1: the second
struct ContainerCapture: CaptureArchitecture {
  private let network: any CaptureArchitecture
  private let fields: CaptureFields

  init(_ config: CaptureFields, of whole: inout CaptureWhole) throws(CaptureError) {
    try config.check(["submodels"])
    var sizes: [(most: Double, fields: CaptureFields)] = []
    for entry in try config.list("submodels", of: "sizes") {
      try entry.check(["max_value", "model", "name"])
      let most = try entry.number("max_value")
      guard sizes.last.map({ $0.most < most }) ?? true else {
        throw entry.error("max_value", "is \(written(most)); the values have to grow")
      }
      let model = try entry.fields("model")
      try whole.add(model)
      sizes.append((most, model))
    }
    fields = (sizes.first { whole.size < $0.most } ?? sizes[sizes.count - 1]).fields
    if sizes.count > 1 { whole.hasSizes = true }
    whole.chosen.append(fields)
    network = try Capture.network(fields, of: &whole)
  }

  var inputs: Int { network.inputs }
  var outputs: Int { network.outputs }
  func memory(at rate: Int) -> Int { network.memory(at: rate) }
  func settling(at rate: Int) -> Int { network.settling(at: rate) }
  var keepsSilence: Bool { network.keepsSilence }
  var hasParts: Bool { true }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    try Capture.write(network, fields, input, names: names, in: &text)
  }
}
