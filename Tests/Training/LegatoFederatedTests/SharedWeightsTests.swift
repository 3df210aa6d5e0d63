// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

@testable import LegatoFederated

/// Weights that do not learn go along as the device has them, and a server that has others is refused.
@Suite struct SharedWeightsTests: ServedDevice {
  /// A client with a body that does not learn between two arrays that do, of which it gives back twice what it gets.
  private struct Bodied: FederatedClient {
    static let body = Tensor([10, -20])
    var parameters: [FederatedParameter] {
      [
        .init(name: "a", values: Tensor([1, 2, 3])),
        .init(name: "body", values: Self.body, isUpdatable: false),
        .init(name: "b", values: Tensor(4)),
      ]
    }
    var properties: [String: FederatedValue] { [:] }
    func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult {
      FederatedResult(
        arrays: try arrays.map { try Tensor(shape: $0.shape, values: $0.values.map { 2 * $0 }) }, examples: 7)
    }
    func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) -> FederatedResult {
      FederatedResult(examples: 7, metrics: ["loss": Double(arrays.flatMap(\.values).reduce(0, +))])
    }
  }

  private static func message(_ kind: String, _ records: RecordDict) -> Message {
    var metadata = MessageMetadata()
    metadata.kind = kind
    return Message(metadata, .records(records))
  }

  /// A request of a server that has some body: message apps have orders of their own, old strategies the device's.
  private static func request(
    _ kind: String, isOld: Bool, body: [Float], _ settings: [ValueRecord.Item] = []
  ) -> RecordDict {
    let arrays = [("a", Tensor([1, 2, 3])), ("body", Tensor(body)), ("b", Tensor(4))]
    let items =
      isOld
      ? arrays.enumerated().map { ArrayRecord.Item(String($0), MessageArray($1.1, isNamed: false)) }
      : arrays.reversed().map { ArrayRecord.Item($0, MessageArray($1)) }
    let old = kind == "train" ? "fitins" : "evaluateins"
    return RecordDict([
      .init(isOld ? "\(old).parameters" : "arrays", .arrays(ArrayRecord(items))),
      .init(isOld ? "\(old).config" : "config", .config(ValueRecord(settings))),
    ])
  }

  private static func values(_ records: RecordDict, _ name: String) throws -> [[Float]] {
    try #require(records.arrays(name)).items.map { try $0.array.tensor(named: $0.name).values }
  }

  /// Over the wire in both forms: the body comes back bit by bit as the device has it, at its place.
  @Test(arguments: [true, false]) func goesAlong(isOld: Bool) throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    // A mean may have made this of it.
    double.send("train", Self.request("train", isOld: isOld, body: [10.000_01, -20.001]))
    double.send("evaluate", Self.request("evaluate", isOld: isOld, body: [10, -20]))
    double.send("get_parameters", RecordDict())
    var run = DeviceRun()
    try link(double).run(
      Bodied(), isCancelled: { run.rounds.count == 3 }, report: { run.events.append($0) })
    #expect(run.failures.isEmpty && run.rounds.count == 3, "\(run.failures)")
    let answers = try double.answers.map { answer -> RecordDict in
      guard case .records(let records) = answer.content else { throw FederatedError.answer("an error") }
      return records
    }
    let learned = try Self.values(answers[0], isOld ? "fitres.parameters" : "arrays")
    #expect(learned == (isOld ? [[2, 4, 6], [10, -20], [8]] : [[8], [10, -20], [2, 4, 6]]))
    if !isOld { #expect(answers[0].arrays("arrays")?.items.map(\.name) == ["b", "body", "a"]) }
    // Only what learns comes to the client.
    #expect(run.rounds[1].result?.metrics["loss"] == 10)
    #expect(try Self.values(answers[2], "getparametersres.parameters") == [[1, 2, 3], [10, -20], [4]])
  }

  @Test(arguments: ["train", "evaluate"], [true, false]) func anotherBody(kind: String, isOld: Bool) throws {
    var answer = RequestAnswer(client: Bodied())
    func reason(_ body: [Float]) throws -> String? {
      try answer.content(for: Self.message(kind, Self.request(kind, isOld: isOld, body: body))).reason
    }
    let words =
      "the server's 'body' is not this device's, which does not learn: number 2 is -20.01 there and -20 here; both have "
      + "to begin with the same model"
    #expect(try reason([10, -20.01]) == words)
    #expect(try reason([10, 20])?.hasPrefix("the server's 'body' is not this device's") == true)
    #expect(try reason([0, 0])?.contains("number 1 is 0 there and 10 here") == true)
    #expect(try reason([10, .nan])?.contains("holds what is no finite number") == true)
    #expect(try reason([10, -20, 0])?.contains("is [3], and 'body' of the model [2]") == true)
    #expect(try reason([10, -20]) == nil)
  }

  @Test func counts() throws {
    var answer = RequestAnswer(client: Bodied())
    func reason(_ count: Int) throws -> String? {
      let names = ["a", "body", "b", "more"].prefix(count)
      let arrays = names.map { ArrayRecord.Item($0, MessageArray(Tensor(0))) }
      let records = RecordDict([.init("arrays", .arrays(ArrayRecord(arrays)))])
      return try answer.content(for: Self.message("train", records)).reason
    }
    for (count, rest) in [
      (1, ""), (2, "; what does not learn is there, too, or stays here (without --share all)"),
      (4, "; 'more' is none of them"),
    ] {
      #expect(
        try reason(count)
          == "the server has \(count == 1 ? "1 array" : "\(count) arrays"), and this device has 3: a [3], body [2], b []"
          + rest)
    }
    answer = RequestAnswer(client: Doubler())
    #expect(
      try reason(3)
        == "the server has 3 arrays, and this device learns 2: a [3], b []; what does not learn is left out there, or goes along "
        + "from here (--share all)")
  }

  /// A body of zeros is one of zeros, and means of thousands of equal floats, as Flower computes them, are within the bound.
  @Test func means() throws {
    let zeros = FederatedParameter(name: "zeros", values: Tensor([0, 0]), isUpdatable: false)
    try zeros.check(Tensor([0, -0.0]))
    #expect(throws: FederatedError.self) { try zeros.check(Tensor([0, 1e-30])) }
    var random = SplitMix(seed: 3)
    let values = (0..<50).map { _ in random.float(-1, 1) }
    let body = FederatedParameter(name: "body", values: Tensor(values), isUpdatable: false)
    for devices in [2, 3, 7, 100, 3000] {
      let means = values.map { value in
        let part = value * Float(1 / Double(devices))
        return (0..<devices).reduce(into: Float(0)) { sum, _ in sum += part }
      }
      try body.check(Tensor(means))
      // Or the sum of the products with examples, divided in the end.
      let quotients = values.map { value in
        (0..<devices).reduce(into: Float(0)) { sum, _ in sum += 9 * value } / Float(9 * devices)
      }
      try body.check(Tensor(quotients))
    }
  }

  /// The norm is that of Flower's mods, to which an array that stays as it came adds 0.
  @Test(arguments: [true, false]) func clipping(isOld: Bool) throws {
    var answer = RequestAnswer(client: Bodied())
    for norm in [1, 6] as [Double] {
      let request = Self.request(
        "train", isOld: isOld, body: [10, -20], [.init("clipping_norm", .double(norm))])
      let served = try answer.content(for: Self.message("train", request))
      guard case .records(let records) = served.content else { return #expect(Bool(false), "an error") }
      // compute_adaptive_clip_model_update
      let begin: [Double] = [1, 2, 3, 10, -20, 4]
      let end: [Double] = [2, 4, 6, 10, -20, 8]
      let update = zip(begin, end).map { $1 - $0 }
      let factor = min(1, norm / update.reduce(0) { $0 + $1 * $1 }.squareRoot())
      let wanted = zip(begin, update).map { $0 + factor * $1 }
      let made = try Self.values(records, isOld ? "fitres.parameters" : "arrays")
      let numbers = (isOld ? made : made.reversed()).flatMap(\.self)
      #expect(
        numbers.count == 6 && zip(numbers, wanted).allSatisfy { abs(Double($0) - $1) < 1e-6 }, "\(made)")
      #expect(served.result?.metrics["norm_bit"] == (factor < 1 ? 1 : 0))
    }
  }

  /// Arrays that do not learn cannot be told in steps, and come back as they were.
  @Test func secureAggregation() throws {
    var answer = RequestAnswer(client: Bodied(), security: try SecureAggregation())
    let records = RecordDict([.init(SecureStage.record, .config(ValueRecord(SecureServer.standard)))])
    let reason = try answer.content(for: Self.message("train", records)).reason
    #expect(
      reason?.hasPrefix("a secure aggregation cuts numbers, and tells them in steps: 'body' of this device")
        == true)
    answer = RequestAnswer(client: Doubler(), security: try SecureAggregation())
    #expect(try answer.content(for: Self.message("train", records)).reason == nil)
  }

  // MARK: A trainer

  private static func trainer(learning: [String] = ["w", "b"]) throws -> Trainer {
    let text = """
      { "legato": 1, "name": "Bodied", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "parameters": { "level": { "default": 1, "minimum": 0.5, "maximum": 2 } },
        "weights": { "shift": [0.5, -0.5], "w": [[0, 0]], "body": [[1, 0.5], [-0.25, 1]], "b": [0] },
        "graph": { "h": "tanh(dense(x, 'body', 'shift'))", "y": "dense(h, 'w', 'b') * level" }, "outputs": ["y"] }
      """
    var task = TrainingTask(loss: "mse(y, target)", targets: ["target": [1]], batch: 4)
    task.trainable = learning
    return try Trainer(Model(text), task, optimizer: .sgd(rate: 0.1), threads: 1)
  }

  private static func weights(_ trainer: Trainer) -> [[Float]] {
    ["w", "b"].map { trainer.weights(named: $0)!.values }
  }

  /// All weights of the model are parameters, in its order; a parameter that turns and does not learn is none.
  @Test func allOfAModel() throws {
    let data = try Line.data(16)
    let client = TrainerClient(try Self.trainer(), data, sharing: .all)
    #expect(client.parameters.map(\.name) == ["shift", "w", "body", "b"])
    #expect(client.parameters.map(\.isUpdatable) == [false, true, false, true])
    #expect(client.parameters.map(\.values.shape) == [[2], [1, 2], [2, 2], [1]])
    #expect(client.parameters[2].values.values == [1, 0.5, -0.25, 1])
    #expect(client.properties["arrays"] == .integer(4))
    let turning = TrainerClient(
      try Self.trainer(learning: ["b", "level", "body"]), data, sharing: .all)
    #expect(turning.parameters.map(\.name) == ["shift", "w", "body", "b", "level"])
    #expect(turning.parameters.filter { !$0.isUpdatable }.map(\.name) == ["shift", "w"])
    let learned = TrainerClient(try Self.trainer(), data)
    #expect(learned.parameters.map(\.name) == ["w", "b"] && learned.parameters.allSatisfy(\.isUpdatable))
  }

  /// A device without the model's file has the same arrays.
  @Test func artifacts() throws {
    let folder = try TemporaryFolder()
    let (trainer, data) = (try Self.trainer(), try Line.data(16))
    try trainer.writeArtifacts(to: folder("artifacts"))
    let client = TrainerClient(try Trainer(artifacts: folder("artifacts")), data, sharing: .all)
    #expect(client.parameters == TrainerClient(trainer, data, sharing: .all).parameters)
    #expect(client.parameters.count == 4)
  }

  /// Weights of a part are not the model's own, and a device without the file leaves them out, too.
  @Test func artifactsOfParts() throws {
    let folder = try TemporaryFolder()
    try Data(
      #"""
      { "legato": 1, "name": "Part", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "u": [[1, 0.5], [-0.25, 1]] }, "graph": { "y": "tanh(dense(x, 'u'))" }, "outputs": ["y"] }
      """#.utf8
    ).write(to: URL(fileURLWithPath: folder("part.json")))
    try Data(
      #"""
      { "legato": 1, "name": "Whole", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0]], "b": [0] },
        "graph": { "h": "model('part.json', x)", "y": "dense(h, 'w', 'b')" }, "outputs": ["y"] }
      """#.utf8
    ).write(to: URL(fileURLWithPath: folder("whole.json")))
    var task = TrainingTask(loss: "mse(y, target)", targets: ["target": [1]], batch: 4)
    task.trainable = ["w"]
    let trainer = try Trainer(
      Model(contentsOf: folder("whole.json")), task, optimizer: .sgd(rate: 0.1), threads: 1)
    // Also of artifacts that a trainer of artifacts wrote.
    try trainer.writeArtifacts(to: folder("first"))
    try Trainer(artifacts: folder("first")).writeArtifacts(to: folder("second"))
    let data = try Line.data(16)
    for place in ["first", "second"] {
      let client = TrainerClient(try Trainer(artifacts: folder(place)), data, sharing: .all)
      #expect(client.parameters == TrainerClient(trainer, data, sharing: .all).parameters)
      #expect(client.parameters.map(\.name) == ["w", "b"])
    }
  }

  /// A round of all weights learns the bits of one of those that learn, and one with another body learns nothing.
  @Test(arguments: [true, false]) func sameBits(isOld: Bool) throws {
    let (trainer, alone) = (try Self.trainer(), try Self.trainer())
    let data = try Line.data(16)
    let result = try TrainerClient(alone, data).fit(
      [Tensor(shape: [1, 2], values: [0.5, 1]), Tensor([0.25])],
      RoundConfiguration(["server-round": .integer(2)]))
    let client = TrainerClient(trainer, data, sharing: .all)
    var answer = RequestAnswer(client: client)
    func served(_ body: [Float]) throws -> RequestAnswer.Served {
      let arrays = [
        ("shift", Tensor([0.5, -0.5])), ("w", try Tensor(shape: [1, 2], values: [0.5, 1])),
        ("body", try Tensor(shape: [2, 2], values: body)), ("b", Tensor([0.25])),
      ]
      let items = arrays.enumerated().map { row, array in
        ArrayRecord.Item(isOld ? String(row) : array.0, MessageArray(array.1, isNamed: !isOld))
      }
      return try answer.content(
        for: Self.message(
          "train",
          RecordDict([
            .init(isOld ? "fitins.parameters" : "arrays", .arrays(ArrayRecord(items))),
            .init(
              isOld ? "fitins.config" : "config",
              .config(ValueRecord([.init("server-round", .integer(2))]))),
          ])))
    }
    let refused = try served([1, 0.5, -0.25, 0.9])
    #expect(refused.reason?.hasPrefix("the server's 'body' is not this device's") == true)
    #expect(refused.result == nil && Self.weights(trainer) == [[0, 0], [0]])
    guard case .records(let records) = try served([1, 0.5, -0.25, 1]).content else {
      return #expect(Bool(false), "an error")
    }
    let made = try Self.values(records, isOld ? "fitres.parameters" : "arrays")
    #expect(made == [[0.5, -0.5], result.arrays[0].values, [1, 0.5, -0.25, 1], result.arrays[1].values])
    #expect(Self.weights(trainer) == Self.weights(alone) && Self.weights(trainer) != [[0.5, 1], [0.25]])
  }

  /// Noise is that of what learns, and the body goes without.
  @Test func privacy() throws {
    let client = TrainerClient(
      try Self.trainer(), try Line.data(16), sharing: .all, epochs: 3,
      privacy: try UpdatePrivacy(norm: 0.01, noise: 0.1))
    let begin = client.parameters
    var answer = RequestAnswer(client: client)
    let items = begin.map { ArrayRecord.Item($0.name, MessageArray($0.values)) }
    let records = RecordDict([.init("arrays", .arrays(ArrayRecord(items)))])
    guard case .records(let made) = try answer.content(for: Self.message("train", records)).content else {
      return #expect(Bool(false), "an error")
    }
    let sent = try Self.values(made, "arrays")
    for (array, now) in zip(begin, sent) {
      #expect((array.values.values == now) == !array.isUpdatable, "\(array.name)")
    }
    let way = zip(begin, sent).flatMap { zip($0.values.values, $1) }.map { Double($1 - $0) }
    #expect(way.reduce(0) { $0 + $1 * $1 }.squareRoot() < 0.03)
  }
}
