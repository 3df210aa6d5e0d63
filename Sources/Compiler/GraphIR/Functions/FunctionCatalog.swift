// SPDX-License-Identifier: Apache-2.0

/// A function that expressions can call: an op, or what is composed of ops.
package struct Function: Sendable {
  /// An argument of a call, by position or by name.
  package struct Slot: Sendable {
    package enum Kind: Hashable, Sendable {
      case value
      case values
      case integer
      case integers
      case number
      case choice([String])
    }

    package enum Default: Hashable, Sendable {
      case required
      /// May be left out, with a default that the function's meaning defines.
      case absent
      case integer(Int)
      case number(Double)
      case choice(String)
    }

    package var name: String
    package var kind: Kind
    package var standard: Default
    /// The remedy where something else than such an argument is meant.
    package var remedy: String?
  }

  package enum Group: String, CaseIterable, Sendable {
    case arithmetic = "Arithmetic"
    case mathematics = "Mathematics"
    case activations = "Activations"
    case shapes = "Shapes"
    case reductions = "Reductions"
    case layers = "Layers"
    case spectra = "Spectra"
    case time = "Time"
    case sources = "Sources"
    case filters = "Filters"
    case followers = "Followers"
    case losses = "Losses"
  }

  package typealias Build = @Sendable (inout GraphAssembler, Call) throws(TypingError) -> ValueID

  package var name: String
  package var group: Group
  package var slots: [Slot]
  package var meaning: String
  package var build: Build

  /// The call with all arguments, such as `slice(x, axis, start, count)`.
  package var signature: String {
    let slots = slots.map { slot in
      switch slot.standard {
      case .required: slot.name
      case .absent: "\(slot.name)?"
      case .integer(let value): "\(slot.name): \(value)"
      case .number(let value): "\(slot.name): \(value)"
      case .choice(let value): "\(slot.name): \"\(value)\""
      }
    }
    return "\(name)(\(slots.joined(separator: ", ")))"
  }
}

/// The arguments of a call, checked against the slots of its function.
package struct Call: Sendable {
  package enum Argument: Hashable, Sendable {
    case value(ValueID)
    case values([ValueID])
    case integer(Int)
    case integers([Int])
    case number(Double)
    case choice(String)
  }

  package var arguments: [String: Argument]

  package init(_ arguments: [String: Argument]) { self.arguments = arguments }

  /// All values among the arguments.
  var values: [ValueID] {
    arguments.values.flatMap { argument in
      switch argument {
      case .value(let value): [value]
      case .values(let values): values
      case .integer, .integers, .number, .choice: [] as [ValueID]
      }
    }
  }

  func value(_ name: String) -> ValueID {
    guard case .value(let value) = arguments[name] else { preconditionFailure("no value '\(name)'") }
    return value
  }

  func optionalValue(_ name: String) -> ValueID? { arguments[name] == nil ? nil : value(name) }

  func values(_ name: String) -> [ValueID] {
    guard case .values(let values) = arguments[name] else { preconditionFailure("no values '\(name)'") }
    return values
  }

  func integer(_ name: String) -> Int {
    guard case .integer(let value) = arguments[name] else { preconditionFailure("no integer '\(name)'") }
    return value
  }

  func optionalInteger(_ name: String) -> Int? { arguments[name] == nil ? nil : integer(name) }

  func integers(_ name: String) -> [Int] {
    guard case .integers(let values) = arguments[name] else { preconditionFailure("no integers '\(name)'") }
    return values
  }

  func optionalIntegers(_ name: String) -> [Int]? { arguments[name] == nil ? nil : integers(name) }

  func number(_ name: String) -> Double {
    guard case .number(let value) = arguments[name] else { preconditionFailure("no number '\(name)'") }
    return value
  }

  func optionalNumber(_ name: String) -> Double? { arguments[name] == nil ? nil : number(name) }

  func choice(_ name: String) -> String {
    guard case .choice(let value) = arguments[name] else { preconditionFailure("no choice '\(name)'") }
    return value
  }
}

extension Function {
  /// Every function, in the order in which `legato ops` lists them.
  package static let all: [Function] =
    arithmetic + mathematics + activations + shapes + reductions + pooling + positions + layers
    + normalization
    + recurrence + spectra + time
    + sources + filters + followers + losses

  package static let byName: [String: Function] =
    Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Words that arguments are chosen by.
  static let choices: Set<String> = all.flatMap(\.slots).reduce(into: []) { words, slot in
    if case .choice(let more) = slot.kind { words.formUnion(more) }
  }

  /// Words that no value can be called.
  package static let reservedNames: Set<String> = ["sampleRate", "frames", "pi"]
}

extension Function.Slot {
  static func value(_ name: String) -> Self { .init(name: name, kind: .value, standard: .required) }
  static func optionalValue(_ name: String) -> Self { .init(name: name, kind: .value, standard: .absent) }
  static func values(_ name: String) -> Self { .init(name: name, kind: .values, standard: .required) }
  static func integer(_ name: String, _ standard: Default = .required, remedy: String? = nil) -> Self {
    .init(name: name, kind: .integer, standard: standard, remedy: remedy)
  }
  static func optionalInteger(_ name: String) -> Self { .integer(name, .absent) }
  static func integers(_ name: String, _ standard: Default = .required) -> Self {
    .init(name: name, kind: .integers, standard: standard)
  }
  static func number(_ name: String, _ standard: Default = .required) -> Self {
    .init(name: name, kind: .number, standard: standard)
  }
  static func choice(_ name: String, _ choices: [String]) -> Self {
    .init(name: name, kind: .choice(choices), standard: .choice(choices[0]))
  }
}

extension Function {
  /// The name by which an expression uses another model. It is no function of values: the model stands in its place
  /// before anything is computed.
  package static let modelName = "model"

  /// The call that uses a model, as `legato ops` lists it.
  package static let modelSignature = "model(\"file\", inputs…, parameter: value…)"

  package static let modelMeaning =
    "another model in its place; what has no argument is a parameter, y.level where it defines y, whose outputs are "
    + "y.low, y.high where it has several"
}
