// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The rows of a model's outputs that are written to a file, in order.
struct OutputChannels {
  /// Counted over all outputs of all contexts.
  let rows: [Int]
  /// Which channels hold which output, such as "wet 1-2, dry 3"; nil where there is only one output.
  let legend: String?

  init(_ layout: ProgramLayout, contexts: Int, chosen: ChannelList?) throws(Failure) {
    let each = layout.outputs.reduce(0) { $0 + $1.rows }
    if contexts > 1, each != 1 {
      throw .usage(
        "the model makes \(counted(each, "channel")) of one, and there are \(contexts); choose one with --inputs 1"
      )
    }
    let count = each * contexts
    try chosen?.check(count: count, owner: count == 1 ? "the model makes only" : "the model makes")
    rows = chosen?.channels ?? Array(0..<count)
    legend = layout.outputs.count > 1 && chosen == nil ? Self.legend(layout.outputs) : nil
  }

  private static func legend(_ ports: [ProgramLayout.Port]) -> String {
    var first = 1
    return ports.map { port in
      defer { first += port.rows }
      let range = port.rows == 1 ? "\(first)" : "\(first)-\(first + port.rows - 1)"
      return "\(port.name) \(range)"
    }.joined(separator: ", ")
  }
}
