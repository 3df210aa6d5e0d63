// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension Composer {
  /// All models that follow one another: what leaves one goes into the next.
  ///
  ///     bitcrusher ─▶ delay        names  resolution, dst, delay.src, delay.time, delay.dst
  ///
  /// The first one keeps its names, unless a later one has a parameter of the same name.
  mutating func composeStages() {
    let names = chainNames(family.documents.map(\.name))
    var stage = Instance(member: family.stages[0], prefix: "")
    result.prefixes = [""]
    add(stage)
    let first = result.parameters.count
    // Controls without a name in front are those of the whole.
    if family.stages.count > 1 {
      for control in ModelControl.Kind.allCases.map(\.rawValue)
      where !result.parameters.contains(where: { $0.name == control }) {
        result.qualified[control] = "\(names[0]).\(control)"
      }
    }
    var values = addControls(
      ofStage: 0, stage, outputs: level(valueNames(of: stage), of: stage), name: names[0])
    for (position, member) in family.stages.enumerated().dropFirst() {
      let next = Instance(member: member, prefix: names[position] + ".")
      result.prefixes.append(next.prefix)
      connect(stage, values, to: next)
      add(next)
      stage = next
      let outputs = level(valueNames(of: stage), of: stage)
      values = addControls(ofStage: position, stage, outputs: outputs, name: names[position])
    }
    values = addControls(ofStage: nil, stage, outputs: values, name: nil)
    for (output, value) in zip(family.members[stage.member].document.outputs, values) {
      let place = output.place.inFile(family.file(of: stage.member))
      result.outputs.append(.init(name: output.name, value: value, place: place))
    }
    if family.stages.count > 1 { qualify(result.parameters.indices.prefix(first), by: names[0]) }
  }

  /// The values that the outputs of a stage show, by the names that the whole has for it.
  private mutating func valueNames(of stage: Instance) -> [String] {
    // Of a single model the importer says which outputs are none.
    guard family.stages.count == 1 else { return outputNames(of: stage).map { stage.prefix + $0 } }
    return family.members[stage.member].document.outputs.map { output in
      if family.members[stage.member].parts[output.name] != nil,
        let flaw = family.flaw(ofOutput: output.name, of: stage.member)
      {
        report(flaw, at: output.place, in: stage)
        result.unread.insert(output.name)
      }
      return output.name
    }
  }

  private mutating func connect(_ stage: Instance, _ outputs: [String], to next: Instance) {
    let (from, to) = (family.members[stage.member].document, family.members[next.member].document)
    let place = to.inputs.first?.place ?? .start
    guard from.boundClock == to.boundClock else {
      for input in to.inputs { result.unread.insert(next.prefix + input.name) }
      return report(
        "\(quoted(to.name)) has the clock '\(to.boundClock.rawValue)', and \(quoted(from.name)) before it "
          + "'\(from.boundClock.rawValue)'; models of one clock go together", at: place, in: next)
    }
    guard outputs.count == to.inputs.count else {
      for input in to.inputs { result.unread.insert(next.prefix + input.name) }
      return report(
        "\(quoted(to.name)) has \(count(to.inputs.count, "input")), and \(quoted(from.name)) before it "
          + "\(count(outputs.count, "output")); a model in between can make the numbers equal", at: place,
        in: next)
    }
    for (input, output) in zip(to.inputs, outputs) {
      let remedy =
        "that is what \(quoted(from.name)) gives; a model in between can choose, mix or double channels"
      result.definitions.append(
        .init(
          name: next.prefix + input.name, expression: Expression(name: output), scope: .init(),
          demand: demand(input, of: to, next.prefix, remedy: remedy), text: nil,
          place: input.place.inFile(family.file(of: next.member)), user: nil))
    }
  }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)" + (number == 1 ? "" : "s")
  }

  /// Tells parameters of the first model from those of later ones that have the same name.
  private mutating func qualify(_ rows: Range<Int>, by prefix: String) {
    var later: Set<String> = []
    for parameter in result.parameters[rows.upperBound...] {
      for stage in result.prefixes.dropFirst() where parameter.name.hasPrefix(stage) {
        later.insert(String(parameter.name.dropFirst(stage.count)))
      }
    }
    for row in rows where later.contains(result.parameters[row].name) {
      let parameter = result.parameters[row]
      result.parameters[row].name = "\(prefix).\(parameter.name)"
      result.definitions.append(
        .init(
          name: parameter.name, expression: Expression(name: "\(prefix).\(parameter.name)"), scope: .init(),
          text: nil, place: parameter.declared.place.inFile(parameter.file), user: nil))
      result.qualified[parameter.name] = result.parameters[row].name
    }
  }

  /// A name for each model of a chain that expressions can say: of equal ones, with its position.
  ///
  ///     Tape echo, Bitcrusher, Tape echo   →   tapeEcho1, bitcrusher, tapeEcho3
  private func chainNames(_ names: [String]) -> [String] {
    let plain = names.map(identifier)
    // A definition of the first model that uses others begins names, too.
    var taken = Set(family.members[family.stages[0]].document.graph.map(\.name))
    return plain.enumerated().map { position, name in
      let isOnly = plain.filter { $0 == name }.count == 1
      var candidate = isOnly ? name : "\(name)\(position + 1)"
      while !taken.insert(candidate).inserted { candidate += "_" }
      return candidate
    }
  }

  /// The words of a name as one: "Tape echo" is tapeEcho.
  private func identifier(_ name: String) -> String {
    var words: [String] = [""]
    for scalar in name.unicodeScalars {
      if "a\(scalar)".isName, scalar != "_" {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else {
        words.append("")
      }
    }
    words.removeAll { $0.isEmpty }
    let joined = words.enumerated().map { index, word in
      let rest = word.dropFirst()
      return index == 0
        ? (word == word.uppercased() ? word.lowercased() : word.prefix(1).lowercased() + rest)
        : word.prefix(1).uppercased() + rest
    }.joined()
    return joined.isName ? joined : "model"
  }
}
