// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The answer of a client to a message, in the form in which the server's program asks.
///
///     old strategies    fitins.parameters, fitins.config   ─▶ fitres.parameters, .num_examples, .metrics, .status
///     message apps      arrays, config                     ─▶ arrays, metrics with num-examples
///     SecAgg+           secaggplus_configs, and fitins.… at its third stage ─▶ secaggplus_configs, and fitres.… without arrays
///
/// What cannot be answered with records is answered with an error that says why.
struct RequestAnswer {
  let client: any FederatedClient
  /// The condition under which weights go out at all; nil gives them to whoever asks.
  let security: SecureAggregation?
  /// The secure aggregation that is going on.
  var secureRound: SecureRound?
  /// The last arrays that were shortened, as the client has learned them and as the server was given them.
  private var shortened: (from: [Tensor], to: [Tensor])?

  init(client: any FederatedClient, security: SecureAggregation? = nil) {
    (self.client, self.security) = (client, security)
  }

  /// The most that a request may take.
  var bounds: MessageBounds { MessageBounds(for: client.parameters.map(\.values.values.count)) }

  /// A request that was served, for whoever looks on.
  struct Served {
    let content: Message.Content
    let result: FederatedResult?
    let configuration: RoundConfiguration
    /// The stage of a secure aggregation; nil for none.
    var stage: SecureStage?
    var neighbours: SuperLink.Neighbours?
    /// For the owner: why there is no answer, of which the server is told less, or why the round before came to nothing.
    var reason: String?
  }

  /// The reason that a server is given for an error that may name files, or say something of data.
  static let failure = "the device failed at this request; the reason stays with it"

  /// - Throws: `FederatedError.cancelled` where somebody asked for the end.
  mutating func content(for message: Message) throws(FederatedError) -> Served {
    var configuration = RoundConfiguration()
    do {
      guard case .records(let records) = message.content else {
        throw FederatedError.unsupported("the server's message is an error, and no request")
      }
      configuration = Self.configuration(records, group: message.metadata.group)
      let kind = message.metadata.kind
      if kind == "train", let asked = records.config(SecureStage.record) {
        return try secureAnswer(asked, records, configuration, message.metadata.destination)
      }
      let (answer, result) = try answer(kind, records, configuration)
      return Served(content: .records(answer), result: result, configuration: configuration)
    } catch FederatedError.cancelled {
      throw .cancelled
    } catch {
      let told: MessageError
      switch error {
      case FederatedError.unsupported, FederatedError.answer:
        told = MessageError(.preconditionFailed, "\(error)")
      default: told = MessageError(.raised, Self.failure)
      }
      return Served(
        content: .error(told), result: nil, configuration: configuration, reason: "\(error)")
    }
  }

  private mutating func answer(
    _ kind: String, _ records: RecordDict, _ configuration: RoundConfiguration
  ) throws -> (RecordDict, FederatedResult?) {
    switch kind {
    case "train":
      try refuseWeights()
      let (key, arrays, isOld) = try given(records, old: "fitins.parameters")
      let result = try learned(arrays, configuration)
      let all = whole(result.arrays)
      return (isOld ? Self.oldFit(result, all.map(\.values)) : message(result, all, key, arrays), result)
    case "evaluate":
      try refuseScores()
      let (_, arrays, isOld) = try given(records, old: "evaluateins.parameters")
      let result = try client.evaluate(try tensors(arrays), configuration)
      if let flaw = result.metrics.first(where: { !$0.value.isFinite }) {
        throw FederatedError.answer("'\(flaw.key)' of the server's arrays is no finite number")
      }
      return (isOld ? try Self.oldEvaluation(result) : message(result), result)
    case "query":
      return (RecordDict([.init("properties", .config(properties))]), nil)
    case "get_properties":
      return (
        RecordDict([
          .init("getpropertiesres.properties", .config(properties)), Self.status("getpropertiesres"),
        ]), nil
      )
    case "get_parameters":
      try refuseWeights()
      let own = client.parameters.filter(\.isUpdatable).map(\.values)
      let given = shortened.flatMap { $0.from == own ? $0.to : nil } ?? own
      return (
        RecordDict([
          .init("getparametersres.parameters", .arrays(Self.oldArrays(whole(given).map(\.values)))),
          Self.status("getparametersres"),
        ]), nil
      )
    default:
      throw FederatedError.unsupported(
        "this device does not offer \(quotedShort(kind)); it offers train, evaluate, query, get_parameters and get_properties"
      )
    }
  }

  mutating func learned(
    _ arrays: ArrayRecord, _ configuration: RoundConfiguration
  ) throws -> FederatedResult {
    let (begin, norm) = (try tensors(arrays), try configuration.clippingNorm)
    var result = try client.fit(begin, configuration)
    guard result.arrays.allSatisfy({ $0.values.allSatisfy(\.isFinite) }) else {
      throw FederatedError.answer("what was learned is no finite number")
    }
    guard result.arrays.map(\.shape) == client.parameters.filter(\.isUpdatable).map(\.values.shape) else {
      throw FederatedError.answer("what was learned has not the number and shapes that this device states")
    }
    if let norm {
      // The last that is done to them, as by the mods of Flower's own clients; the strategy that adapts the norm asks for the bit.
      let way = UpdateWay(from: begin, to: result.arrays)
      let short = try way.arrays(within: norm)
      shortened = way.length > norm ? (result.arrays, short) : nil
      result.arrays = short
      result.metrics["norm_bit"] = way.length > norm ? 1 : 0
    }
    return result
  }

  // MARK: In

  /// The arrays of a request without what stands for none, what they are called, and whether it has the form of old
  /// strategies.
  func given(
    _ records: RecordDict, old name: String
  ) throws(FederatedError) -> (key: String, arrays: ArrayRecord, isOld: Bool) {
    func real(_ arrays: ArrayRecord) -> ArrayRecord {
      ArrayRecord(arrays.items.filter { $0.name != "_empty" })
    }
    if let arrays = records.arrays(name) { return (name, real(arrays), true) }
    var found: [(String, ArrayRecord)] = []
    for item in records.items {
      if case .arrays(let arrays) = item.record { found.append((item.name, arrays)) }
    }
    guard found.count == 1 else {
      throw .unsupported("a request for this device has one record of arrays; this one has \(found.count)")
    }
    return (found[0].0, real(found[0].1), false)
  }

  /// The server's arrays of what learns, in the order of the client's; the others are the client's, too.
  private func tensors(_ arrays: ArrayRecord) throws(FederatedError) -> [Tensor] {
    let own = client.parameters
    let items = arrays.items
    guard items.count == own.count else { throw Self.anotherCount(arrays, own) }
    guard Set(own.map(\.name)).count == own.count else {
      throw .answer("this device states two arrays of one name")
    }
    let isNamed = Self.isNamed(arrays)
    return try own.enumerated().map { row, parameter throws(FederatedError) -> Tensor? in
      guard let item = isNamed ? items.first(where: { $0.name == parameter.name }) : items[row] else {
        throw .answer("the server has no array '\(parameter.name)'")
      }
      let tensor = try item.array.tensor(named: item.name)
      guard tensor.shape == parameter.values.shape else {
        throw .answer(
          "the server's array \(quotedShort(item.name)) is \(tensor.shape), and '\(parameter.name)' of the model \(parameter.values.shape)"
        )
      }
      guard tensor.values.allSatisfy(\.isFinite) else {
        throw .answer("the server's array \(quotedShort(item.name)) holds what is no finite number")
      }
      try parameter.check(tensor)
      return parameter.isUpdatable ? tensor : nil
    }.compactMap(\.self)
  }

  private static func anotherCount(_ arrays: ArrayRecord, _ own: [FederatedParameter]) -> FederatedError {
    let items = arrays.items
    let learnsAll = own.allSatisfy(\.isUpdatable)
    let known = Set(own.map(\.name))
    let surplus = isNamed(arrays) ? items.first { !known.contains($0.name) } : nil
    let remedy =
      if learnsAll && items.count > own.count {
        "; what does not learn is left out there, or goes along from here (--share all)"
      } else if !learnsAll && items.count == own.count(where: \.isUpdatable) {
        "; what does not learn is there, too, or stays here (without --share all)"
      } else {
        surplus.map { "; \(quotedShort($0.name)) is none of them" } ?? ""
      }
    return .answer(
      "the server has \(counted(items.count, "array")), and this device \(learnsAll ? "learns" : "has") \(own.count): "
        + own.map { "\($0.name) \($0.values.shape)" }.joined(separator: ", ") + remedy)
  }

  /// Arrays without names are called by their numbers.
  private static func isNamed(_ arrays: ArrayRecord) -> Bool {
    !arrays.items.enumerated().allSatisfy { $1.name == String($0) }
  }

  private static func configuration(_ records: RecordDict, group: String) -> RoundConfiguration {
    var (values, others, twice) = ([String: FederatedValue](), Set<String>(), Set<String>())
    var said: [String: RecordValue] = [:]
    for item in records.items {
      guard case .config(let record) = item.record, item.name != SecureStage.record else { continue }
      for entry in record.items {
        if let before = said.updateValue(entry.value, forKey: entry.name), before != entry.value,
          before.number == nil || before.number != entry.value.number
        {
          twice.insert(entry.name)
        }
        switch entry.value {
        case .double(let value): values[entry.name] = .number(value)
        case .integer(let value): values[entry.name] = .integer(Int(value))
        case .unsigned(let value): values[entry.name] = .number(Double(value))
        case .boolean(let value): values[entry.name] = .flag(value)
        case .text(let value): values[entry.name] = .text(value)
        case .bytes, .doubles, .integers, .unsigneds, .booleans, .texts, .byteStrings:
          others.insert(entry.name)
        }
      }
    }
    return RoundConfiguration(values, others: others, twice: twice, group: group)
  }

  // MARK: Out

  private var properties: ValueRecord {
    ValueRecord(client.properties.sorted { $0.key < $1.key }.map { .init($0.key, Self.value($0.value)) })
  }

  private static func value(_ value: FederatedValue) -> RecordValue {
    switch value {
    case .number(let number): .double(number)
    case .integer(let number): .integer(Int64(number))
    case .flag(let flag): .boolean(flag)
    case .text(let text): .text(text)
    }
  }

  /// The device's arrays: those that learn as they are given, the others as they are.
  private func whole(_ learned: [Tensor]) -> [(name: String, values: Tensor)] {
    var rest = learned[...]
    return client.parameters.map { ($0.name, $0.isUpdatable ? rest.removeFirst() : $0.values) }
  }

  /// Arrays by the names, and in the order, of the request.
  private func message(
    _ result: FederatedResult, _ all: [(name: String, values: Tensor)], _ key: String, _ asked: ArrayRecord
  ) -> RecordDict {
    let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.values) })
    let isNamed = Self.isNamed(asked)
    let arrays = asked.items.enumerated().compactMap { row, item in
      (isNamed ? named[item.name] : all[row].values).map { ArrayRecord.Item(item.name, MessageArray($0)) }
    }
    return message(result, [.init(key, .arrays(ArrayRecord(arrays)))])
  }

  private func message(_ result: FederatedResult, _ items: [RecordDict.Item] = []) -> RecordDict {
    let metrics = Self.metrics(result).items + [.init("num-examples", .integer(Int64(result.examples)))]
    return RecordDict(items + [.init("metrics", .metrics(ValueRecord(metrics)))])
  }

  private static func metrics(_ result: FederatedResult) -> ValueRecord {
    ValueRecord(result.metrics.sorted { $0.key < $1.key }.map { .init($0.key, .double($0.value)) })
  }

  private static func oldArrays(_ arrays: [Tensor]) -> ArrayRecord {
    ArrayRecord(arrays.enumerated().map { .init(String($0), MessageArray($1, isNamed: false)) })
  }

  private static func status(_ name: String) -> RecordDict.Item {
    let values = [ValueRecord.Item("code", .integer(0)), .init("message", .text("Success"))]
    return .init("\(name).status", .config(ValueRecord(values)))
  }

  private static func examples(_ result: FederatedResult, _ name: String) -> RecordDict.Item {
    let value = ValueRecord([.init("num_examples", .integer(Int64(result.examples)))])
    return .init("\(name).num_examples", .metrics(value))
  }

  static func oldFit(_ result: FederatedResult, _ arrays: [Tensor]) -> RecordDict {
    RecordDict([
      .init("fitres.metrics", .config(metrics(result))), examples(result, "fitres"),
      .init("fitres.parameters", .arrays(oldArrays(arrays))), status("fitres"),
    ])
  }

  private static func oldEvaluation(_ result: FederatedResult) throws(FederatedError) -> RecordDict {
    guard let value = result.metrics["loss"] else {
      throw .unsupported("this device judges without a loss, which old strategies need")
    }
    let loss = ValueRecord([.init("loss", .double(value))])
    return RecordDict([
      .init("evaluateres.loss", .metrics(loss)), examples(result, "evaluateres"),
      .init("evaluateres.metrics", .config(metrics(result))), status("evaluateres"),
    ])
  }
}
