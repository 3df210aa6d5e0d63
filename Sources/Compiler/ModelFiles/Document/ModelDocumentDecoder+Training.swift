// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// The section `"train"`: what is learned, from what, and how.
extension ModelDocumentDecoder {
  /// - Parameters:
  ///   - value: the section.
  ///   - document: the rest of the file.
  mutating func decodeTraining(_ value: JSONValue?, of document: ModelDocument) -> ModelDocument.Training? {
    guard let value, let fields = decodeFields(value, "'train'", keys: ModelDocument.Keys.training) else {
      return nil
    }
    var training = ModelDocument.Training()
    training.targets = decodeTargets(fields["targets"], of: document)
    let targets = fields["targets"] == nil ? ["target"] : training.targets.map(\.name)
    let names = document.outputs.map(\.name) + targets
    training.loss = decodeScore("loss", fields["loss"], of: names)
    for member in decodeTable(fields["metrics"], "metrics", limit: 256, "metrics") {
      guard checkName(member.key, at: member.keyPlace) else { continue }
      guard member.key != "loss" else {
        report("'loss' is no name of a metric; the loss has it", at: member.keyPlace)
        continue
      }
      if let score = decodeScore(member.key, member.value, of: names) { training.metrics.append(score) }
    }
    training.trainable = decodePatterns(fields["trainable"])
    training.optimizer = decodeOptimizer(fields["optimizer"])
    for count in ModelDocument.Training.Count.allCases {
      training.counts[count] = decodeCount(fields[count.rawValue], "'\(count.rawValue)'", in: count.range)
    }
    for key in ["trainable", "batch", "accumulate", "chunk", "recompute"] {
      training.places[key] = fields[key]?.place
    }
    training.validate = decodeNumber(fields["validate"], "'validate'", in: 0...0.9)
    return training
  }

  private mutating func decodeTargets(
    _ value: JSONValue?, of document: ModelDocument
  ) -> [ModelDocument.Training.Target] {
    var targets: [ModelDocument.Training.Target] = []
    for member in decodeTable(value, "targets", limit: ModelDocument.maximumOutputs, "targets") {
      let name = member.key
      guard checkName(name, at: member.keyPlace) else { continue }
      let taken =
        document.inputs.contains { $0.name == name }
        ? "an input" : document.outputs.contains { $0.name == name } ? "an output" : nil
      if let taken {
        report("\(quoted(name)) is the name of \(taken); a target has another one", at: member.keyPlace)
        continue
      }
      let what = "the target \(quoted(name))"
      guard let fields = decodeFields(member.value, what, keys: ModelDocument.Keys.target) else { continue }
      guard let shape = fields["shape"] else {
        report("\(what) has no 'shape'", at: member.keyPlace)
        continue
      }
      if let entries = decodeShape(shape) { targets.append(.init(name: name, shape: entries)) }
    }
    return targets
  }

  /// An expression, whose names are those of outputs and targets.
  private mutating func decodeScore(
    _ name: String, _ value: JSONValue?, of names: [String]
  ) -> ModelDocument.Training.Score? {
    guard let value, let text = decodeString(value, "the expression of \(quoted(name))") else { return nil }
    let expression: Expression
    do throws(ExpressionError) {
      expression = try Expression(parsing: text.text)
    } catch {
      report(error.message, at: text.place(atCharacter: error.offset))
      return nil
    }
    var isKnown = true
    for term in expression.terms {
      let message: String
      switch term.kind {
      case .name(let name):
        guard !names.contains(name), !Function.reservedNames.contains(name) else { continue }
        message = unknown("output or target", name, among: names)
      case .call(let function, _):
        guard Function.byName[function] == nil else { continue }
        message = unknown("function", function, among: Function.byName.keys.sorted())
      case .number, .string, .list, .negation, .binary: continue
      }
      report(message, at: text.place(atCharacter: term.offset))
      isKnown = false
    }
    return isKnown ? .init(name: name, expression: text.text, place: text.place) : nil
  }

  private mutating func decodePatterns(_ value: JSONValue?) -> [String]? {
    guard let value else { return nil }
    guard case .array(let elements) = value.content else {
      wrongType(value, "'trainable'", mustBe: "a list of names, such as [\"lstm.*\"]")
      return nil
    }
    guard !elements.isEmpty else {
      report("'trainable' names nothing that learns; leave it out where all weights do", at: value.place)
      return nil
    }
    return elements.compactMap { decodeString($0, "a name that learns")?.text }
  }

  // MARK: Optimizer

  /// { "adamW": { "rate": 0.003 } }
  private mutating func decodeOptimizer(_ value: JSONValue?) -> ModelDocument.Training.Optimizer? {
    typealias Rule = ModelDocument.Training.Optimizer.Rule
    guard let (rule, object): (Rule, _) = decodeKind(value, "'optimizer'") else { return nil }
    let keys = ModelDocument.Keys.optimizer(rule)
    guard let fields = decodeFields(object, "'\(rule.rawValue)'", keys: keys) else { return nil }
    var isNesterov = false
    if let value = fields["nesterov"] {
      if case .boolean(let flag) = value.content {
        isNesterov = flag
      } else {
        wrongType(value, "'nesterov'", mustBe: "true or false")
      }
    }
    let numbers = decodeNumbers(fields, ModelDocument.Keys.ranges)
    if let value = fields["nesterov"], isNesterov, fields["momentum"] == nil || numbers["momentum"] == 0 {
      report(
        "'nesterov' looks ahead by a 'momentum', which is 0: state one, such as 0.9, or leave 'nesterov' out",
        at: value.place)
    }
    return .init(
      rule: rule, numbers: numbers, isNesterov: isNesterov, schedule: decodeSchedule(fields["schedule"]))
  }

  /// { "cosine": { "steps": 10000, "to": 0.1 } }, perhaps behind a "warmup".
  private mutating func decodeSchedule(_ value: JSONValue?) -> ModelDocument.Training.Schedule? {
    typealias Kind = ModelDocument.Training.Schedule.Kind
    guard case .object(let members)? = value?.content, members.count == 2,
      let first = members.first(where: { $0.key == Kind.warmup.rawValue }),
      let second = members.first(where: { $0.key != Kind.warmup.rawValue })
    else {
      guard
        let (kind, object): (Kind, _) = decodeKind(
          value, "'schedule'", ", or 'warmup' and another one")
      else { return nil }
      return decodeSchedule(kind, object).map { .init(kind: kind, numbers: $0) }
    }
    guard let kind = Kind(rawValue: second.key) else {
      report(unknown("key", second.key, among: Kind.allCases.map(\.rawValue)), at: second.keyPlace)
      return nil
    }
    // Either tells its own flaws.
    let (before, own) = (decodeSchedule(.warmup, first.value), decodeSchedule(kind, second.value))
    guard let before, let own else { return nil }
    return .init(kind: kind, numbers: own, warmup: before["steps"].map { Int($0) })
  }

  /// The numbers of a schedule.
  private mutating func decodeSchedule(
    _ kind: ModelDocument.Training.Schedule.Kind, _ object: JSONValue
  ) -> [String: Double]? {
    let keys = ModelDocument.Keys.schedule(kind)
    guard let fields = decodeFields(object, "'\(kind.rawValue)'", keys: keys) else { return nil }
    let steps = keys[0]
    guard let count = fields[steps] else {
      report("'\(kind.rawValue)' has no '\(steps)'; it counts updates", at: object.place)
      return nil
    }
    guard let updates = decodeCount(count, "'\(steps)'", in: 1...1_000_000_000) else { return nil }
    if kind == .steps, fields["factor"] == nil {
      report("'steps' has no 'factor'; the rate is multiplied by it", at: object.place)
      return nil
    }
    let numbers = decodeNumbers(fields, ["to": 0...1, "factor": 0...1])
    return numbers.merging([steps: Double(updates)]) { $1 }
  }

  /// An object with one member, whose key is one of a few words.
  private mutating func decodeKind<Kind: RawRepresentable & CaseIterable>(
    _ value: JSONValue?, _ what: String, _ more: String = ""
  ) -> (Kind, JSONValue)? where Kind.RawValue == String {
    guard let value, let members = decodeMembers(value, what) else { return nil }
    let words = Kind.allCases.map(\.rawValue)
    guard members.count == 1 else {
      report("\(what) has one key, \(alternatives(words.map { quoted($0) }))" + more, at: value.place)
      return nil
    }
    guard let kind = Kind(rawValue: members[0].key) else {
      report(unknown("key", members[0].key, among: words), at: members[0].keyPlace)
      return nil
    }
    return (kind, members[0].value)
  }

  // MARK: Numbers

  private mutating func decodeNumbers(
    _ fields: Fields, _ ranges: [String: ClosedRange<Double>]
  ) -> [String: Double] {
    var numbers: [String: Double] = [:]
    for (key, range) in ranges { numbers[key] = decodeNumber(fields[key], "'\(key)'", in: range) }
    return numbers
  }

  private mutating func decodeNumber(
    _ value: JSONValue?, _ what: String, in range: ClosedRange<Double>
  ) -> Double? {
    guard let value, let number = decodeNumber(value, what) else { return nil }
    guard range.contains(number) else {
      report(
        "\(what) must lie within \(written(range.lowerBound)) to \(written(range.upperBound)), this is "
          + written(number), at: value.place)
      return nil
    }
    return number
  }

  mutating func decodeCount(
    _ value: JSONValue?, _ what: String, in range: ClosedRange<Int>
  ) -> Int? {
    guard let value, let number = decodeNumber(value, what) else { return nil }
    guard let whole = wholeNumber(number), range.contains(whole) else {
      report(
        "\(what) must be a whole number from \(range.lowerBound) to \(range.upperBound), this is "
          + written(number), at: value.place)
      return nil
    }
    return whole
  }
}
