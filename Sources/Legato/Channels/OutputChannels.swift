// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import RealtimeCore

/// The rows of a model's outputs that are kept, in order.
package struct OutputChannels: Hashable, Sendable {
  /// Counted over all outputs of all contexts.
  package let rows: [Int]
  /// The channels of each output, such as "wet 1-2, dry 3"; nil where there is only one output.
  package let legend: String?

  /// - Parameter chosen: channels, counted from 0; nil for all.
  package init(_ layout: ProgramLayout, contexts: Int, chosen: [Int]?) throws(RequestError) {
    let each = layout.outputs.reduce(0) { $0 + $1.rows }
    if contexts > 1, each != 1 {
      throw RequestError(
        "the model makes \(counted(each, "channel")) of one, and there are \(contexts); choose one with \(.inputs) 1"
      )
    }
    let count = each * contexts
    let owner = count == 1 ? "the model makes only" : "the model makes"
    try RequestError.Name.outputs.check(chosen ?? [], count: count, owner: owner)
    rows = chosen ?? Array(0..<count)
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

extension RequestError.Name {
  /// Throws where one of the channels that this part of a request names, counted from 0, is none of `count`.
  ///
  /// - Parameter owner: what has so many, as a message says it: "song.wav has".
  package func check(_ channels: [Int], count: Int, owner: String) throws(RequestError) {
    guard let excess = channels.first(where: { $0 >= count }) else { return }
    throw RequestError("\(self): there is no channel \(excess + 1); \(owner) \(count)")
  }
}
