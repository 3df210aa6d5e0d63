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

  init(_ config: CaptureFields, of whole: CaptureFields, size: Double) throws(CaptureError) {
    try config.check(["submodels"])
    var sizes: [(most: Double, fields: CaptureFields)] = []
    for entry in try config.list("submodels") {
      try entry.check(["max_value", "model", "name"])
      let most = try entry.number("max_value")
      guard sizes.last.map({ $0.most < most }) ?? true else {
        throw entry.error("max_value", "is \(written(most)); the values have to grow")
      }
      let model = try entry.fields("model")
      try model.checkRate(of: whole)
      sizes.append((most, model))
    }
    fields = (sizes.first { size < $0.most } ?? sizes[sizes.count - 1]).fields
    network = try Capture.network(fields, size: size)
  }

  var inputs: Int { network.inputs }
  var outputs: Int { network.outputs }
  var receptiveField: Int { network.receptiveField }
  var settling: Int { network.settling }
  var hasParts: Bool { true }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    try Capture.write(network, fields, input, names: names, in: &text)
  }
}
