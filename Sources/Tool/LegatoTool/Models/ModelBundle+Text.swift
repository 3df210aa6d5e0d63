// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension ModelBundle {
  /// The bundle's own description, and its signatures, a port a line.
  var text: String {
    func said(_ word: String, _ text: String?) -> String {
      text.map { "  \(word) \(printable($0, limit: 200))\n" } ?? ""
    }
    func line(_ word: String, _ port: Port) -> String {
      let labels = port.labels.map { ", \(counted($0, "label"))" } ?? ""
      return "  \(word) \(printable(port.name)): \(printable(port.type)) \(port.shape)\(labels)\n"
    }
    let head =
      "bundle \(printable(name)): \(printable(model)), backend \(backend)\(quantized ? ", quantized" : "")\n"
      + said("id", id) + said("version", version) + said("author", author) + said("license", license)
      + said("type", type) + said("details", details)
    return signatures.reduce(head) { text, signature in
      text + "signature \(signature.mode.rawValue)\n" + signature.inputs.map { line("in", $0) }.joined()
        + signature.outputs.map { line("out", $0) }.joined()
        + signature.ops.map { "  returns \(printable($0))\n" }.joined()
    }
  }
}
