// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension ModelFamily {
  /// Whether a name in a member's expressions may be about another model.
  func isSpecial(_ name: String, in member: Int) -> Bool {
    name.contains(".") || members[member].parts[name] != nil
  }

  /// The flaw of a name that may be about another model, or nil.
  func flaw(ofName name: String, in member: Int) -> String? {
    guard let dot = name.firstIndex(of: ".") else {
      guard let outputs = outputs(ofUse: name, in: member), outputs.count != 1 else { return nil }
      let list = outputs.map { quoted("\(name).\($0)") }.joined(separator: ", ")
      return "\(quoted(name)) is a model with several outputs; write one of \(list)"
    }
    let (head, tail) = (String(name[..<dot]), String(name[name.index(after: dot)...]))
    guard members[member].parts[head] != nil else {
      return
        "no value is called \(quoted(name)); a name with a dot is an output of a definition that is a model"
    }
    guard let outputs = outputs(ofUse: head, in: member) else { return nil }
    guard !outputs.contains(tail) else { return nil }
    return "the model \(quoted(head)) has no such output: " + unknown("output", tail, among: outputs)
  }

  /// The flaw of a member's output; nil also where its own file says it.
  func flaw(ofOutput name: String, of member: Int) -> String? {
    let document = members[member].document
    // Nothing of it is there yet.
    guard document.network?.open == nil else { return nil }
    let values =
      document.graph.map(\.name) + document.inputs.map(\.name) + document.parameters.map(\.name)
    guard values.contains(name) else {
      let hint = nearestName(to: name, among: values).map { "; did you mean \(quoted($0))?" } ?? ""
      return "no value is called \(quoted(name))\(hint)"
    }
    return members[member].parts[name] != nil ? flaw(ofName: name, in: member) : nil
  }

  /// The outputs of the model that is all of a definition; nil where it cannot be had.
  func outputs(ofUse name: String, in member: Int) -> [String]? {
    guard let call = members[member].parts[name], let path = call.path,
      let callee = members[member].use(path)
    else { return nil }
    return members[callee].document.outputs.map(\.name)
  }
}
