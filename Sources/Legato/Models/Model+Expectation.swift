// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles
internal import RealtimeCore

/// The expectations of code that was written for a model, such as a typed interface: a file may have become another one.
extension Model {
  /// Throws where an output has other labels than somebody counts on.
  ///
  /// - Parameters:
  ///   - labels: In their order.
  ///   - output: The name of the output.
  ///   - user: What relies on them, such as the name of a type.
  /// - Throws: `ModelError.unreadable` with the first label that is another one.
  public func expect(labels: [String], of output: String, for user: String) throws(ModelError) {
    let found = self.labels(of: output) ?? []
    guard found.count == labels.count else {
      let count = counted(found.count, "label")
      throw .misfit(document.file, "the output \(quoted(output)) has \(count)", user, "\(labels.count)")
    }
    if let (label, other) = zip(found, labels).first(where: { $0 != $1 }) {
      throw .misfit(document.file, "a label of \(quoted(output)) is \(quoted(label))", user, quoted(other))
    }
  }
}

extension Compilation {
  /// Throws where ports, parameters or states are not those that somebody counts on.
  ///
  /// - Parameters:
  ///   - inputs: Names with shapes, in order; nil for rows of a stream, which go by its channels.
  ///   - outputs: The same.
  ///   - parameters: Names; there may be more.
  ///   - states: Names with shapes; there may be more.
  ///   - user: What relies on them, such as the name of a type.
  /// - Throws: `ModelError.unreadable` with the first thing that is another one.
  public func expect(
    inputs: KeyValuePairs<String, [Int]?>, outputs: KeyValuePairs<String, [Int]?>, parameters: [String] = [],
    states: KeyValuePairs<String, [Int]> = [:], for user: String
  ) throws(ModelError) {
    try expect("input", inputs, layout.inputs, user)
    try expect("output", outputs, layout.outputs, user)
    let known = layout.parameters.map(\.name)
    if let name = parameters.first(where: { !known.contains($0) }) {
      throw .misfit(file, "there is no parameter \(quoted(name))", user, "one")
    }
    for (name, shape) in states {
      guard let state = self.states.first(where: { $0.name == name }) else {
        throw .misfit(file, "nothing that is remembered is called \(quoted(name))", user, "that")
      }
      guard state.shape == shape else {
        throw .misfit(file, "what is remembered of \(quoted(name)) is \(state.shape)", user, "\(shape)")
      }
    }
  }

  private func expect(
    _ kind: String, _ expected: KeyValuePairs<String, [Int]?>, _ found: [ProgramLayout.Port], _ user: String
  ) throws(ModelError) {
    let (names, others) = (found.map(\.name), expected.map(\.key))
    guard names == others else {
      func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : alternatives(names.map { quoted($0) }, "and")
      }
      throw .misfit(file, "of \(kind)s there is \(list(names))", user, list(others))
    }
    for (port, (name, shape)) in zip(found, expected) {
      guard let shape, shape != port.shape else { continue }
      throw .misfit(file, "the \(kind) \(quoted(name)) is \(port.shape)", user, "\(shape)")
    }
  }
}

extension ModelError {
  /// The error of a file that is not what something was made for.
  fileprivate static func misfit(_ file: String, _ fact: String, _ user: String, _ other: String)
    -> ModelError
  {
    .unreadable(
      path: file, reason: "\(fact), and \(user) is made for \(other); make it anew with legato interface")
  }
}
