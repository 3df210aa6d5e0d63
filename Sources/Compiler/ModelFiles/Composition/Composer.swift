// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// Puts models in the place of their uses.
struct Composer {
  /// A model in a place.
  struct Instance {
    var member: Int
    /// The prefix of its names.
    var prefix: String
    /// The place of its use, for messages; nil for the model itself.
    var user: String?
    /// The parameters that are arguments.
    var bound: Set<String> = []
    /// Whether there are gains around a model that it is a part of.
    var isLevelled = false
    /// Whether silence runs through it before the first frame: its own file asks for that, or one that uses it.
    var isWarm = false
  }

  /// A model that stands in its place, whole.
  struct Placed {
    var instance: Instance
    /// The position in the chain.
    var stage: Int
    /// Its parameters, and those of the models that it uses.
    var parameters: Range<Int>
  }

  let family: ModelFamily
  /// The additions to what the models declare.
  let controls: [ModelControl]
  var result = Composition()
  /// All models, each before those that it uses.
  private(set) var placed: [Placed] = []
  /// The names of the weights of a member, once they are there.
  private var weightPrefixes: [Int: String] = [:]
  /// Whether uses are followed; otherwise they are left out, and that has been said.
  let followsUses: Bool

  init(_ family: ModelFamily, _ controls: [ModelControl] = []) {
    self.family = family
    self.controls = controls
    result.controls = controls
    result.mistakes = family.mistakes
    if let mistake = family.excess() {
      result.mistakes.append(mistake)
      followsUses = false
    } else {
      followsUses = family.isComplete
    }
  }

  /// Says what is wrong at a character of a text, as long as anybody reads it.
  mutating func report(_ message: String, at place: Place, in instance: Instance) {
    guard result.mistakes.count < 4 * ModelDocument.maximumDiagnostics else { return }
    let place = place.inFile(family.file(of: instance.member))
    result.mistakes.append(.init(message: message, place: place, user: instance.user))
  }

  /// The parts of one model; its inputs, and what is bound, are there already.
  mutating func add(_ instance: Instance) {
    let (member, prefix) = (family.members[instance.member], instance.prefix)
    var instance = instance
    if member.document.prewarm > 0 { instance.isWarm = true }
    let file = family.file(of: instance.member)
    let (position, first) = (placed.count, result.parameters.count)
    placed.append(Placed(instance: instance, stage: result.prefixes.count - 1, parameters: first..<first))
    if let user = instance.user, result.users[instance.member] == nil { result.users[instance.member] = user }
    for parameter in member.document.parameters where !instance.bound.contains(parameter.name) {
      result.parameters.append(.init(name: prefix + parameter.name, declared: parameter, file: file))
    }
    result.prewarm += member.document.prewarm
    if weightPrefixes[instance.member] == nil {
      weightPrefixes[instance.member] = prefix
      for weights in member.weights.loaded {
        result.weights.append(.init(name: prefix + weights.name, loaded: weights, file: file))
      }
      result.unreadWeights.formUnion(member.weights.failed.map { prefix + $0 })
      if member.weights.hidesNames { result.hidesWeights = true }
    }
    levelInputs(of: instance)
    for row in member.document.graph.indices { addDefinition(row, of: instance) }
    placed[position].parameters = first..<result.parameters.count
  }

  private mutating func addDefinition(_ row: Int, of instance: Instance) {
    let member = family.members[instance.member]
    let definition = member.document.graph[row]
    let name = instance.prefix + definition.name
    switch member.expressions[row] {
    case .failure(let error):
      let place = definition.expression.place(atCharacter: error.offset).inFile(
        family.file(of: instance.member))
      result.unreadable.append(.init(message: error.message, place: place, user: instance.user))
      result.unread.insert(name)
    case .success(let expression):
      let calls = expression.modelCalls
      guard !calls.isEmpty || expression.names.contains(where: { isSpecial($0, in: instance) })
      else {
        append(expression, name, row, of: instance)
        return
      }
      // A model with several outputs is no value; who says its name is told so.
      guard let inlined = inlining(calls, of: expression, row, in: instance) else { return }
      append(inlined, name, row, of: instance)
    }
  }

  /// The value that a name in the text of an instance stands for, where that is not what it says.
  mutating func replacement(of name: String, at place: Place, in instance: Instance) -> String? {
    if isLevelled(name, in: instance) { return Self.levelled(name) }
    guard family.isSpecial(name, in: instance.member) else { return nil }
    guard followsUses else { return unread(name, in: instance) }
    if let message = family.flaw(ofName: name, in: instance.member) {
      report(message, at: place, in: instance)
      return unread(name, in: instance)
    }
    let head = String(name.prefix { $0 != "." })
    guard head == name || family.outputs(ofUse: head, in: instance.member) != nil else {
      return unread(name, in: instance)
    }
    guard head != name, let path = family.members[instance.member].parts[head]?.path,
      let callee = family.members[instance.member].use(path), hasGain(callee, in: instance)
    else { return nil }
    return Self.levelled(name)
  }

  /// Whether there is a gain behind a part of an instance.
  func hasGain(_ member: Int, in instance: Instance) -> Bool {
    !instance.isLevelled && family.gains[instance.member] == nil && family.gains[member]?.output != nil
  }

  private func isSpecial(_ name: String, in instance: Instance) -> Bool {
    isLevelled(name, in: instance) || family.isSpecial(name, in: instance.member)
  }

  /// A name that counts as something that could not be read.
  mutating func unread(_ name: String, in instance: Instance) -> String {
    let hidden = "\(name).?"
    result.unread.insert(instance.prefix + hidden)
    return hidden
  }

  mutating func append(
    _ expression: Expression, _ name: String, _ row: Int, of instance: Instance, demand: Demand? = nil
  ) {
    let definition = family.members[instance.member].document.graph[row]
    result.definitions.append(
      .init(
        name: name, expression: expression, scope: scope(of: instance), demand: demand,
        isWarm: instance.isWarm,
        text: definition.expression, place: definition.namePlace.inFile(family.file(of: instance.member)),
        user: instance.user))
  }

  func scope(of instance: Instance) -> ModelSource.Scope {
    .init(values: instance.prefix, weights: weightPrefixes[instance.member] ?? "")
  }
}
