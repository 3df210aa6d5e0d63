// SPDX-License-Identifier: Apache-2.0

import Legato
import LegatoTraining
import Testing

@testable import LegatoFederated

/// The settings of a round are followed, or refused: never passed over.
@Suite struct RoundSettingsTests: ServedDevice {
  private static let wrong: [(name: String, value: RecordValue, words: String)] = [
    ("epochs", .text("three"), "the server's setting 'epochs' is 'three', and no number"),
    ("local_epochs", .boolean(true), "the server's setting 'local_epochs' is true, and no number"),
    ("epochs", .integers([3]), "the server's setting 'epochs' is a list or bytes, and no number"),
    ("epochs", .integer(-1), "the server asks for -1 epochs; 1 to 1000000 are possible"),
    ("epochs", .double(1.5), "the server asks for 1.5 epochs; 1 to 1000000 are possible"),
    ("rate", .text("fast"), "the server's setting 'rate' is 'fast', and no number"),
    ("lr", .double(-0.5), "the server asks for a rate of -0.5; it is a number above 0, up to 1000"),
    ("learning-rate", .double(.nan), "the server asks for a rate of nan; it is a number above 0, up to 1000"),
    ("proximal_mu", .bytes([1]), "the server's setting 'proximal_mu' is a list or bytes, and no number"),
    ("proximal-mu", .double(-1), "the server asks for a proximal-mu of -1; it is a number from 0 on"),
    ("server-round", .text("x"), "the server's setting 'server-round' is 'x', and no number"),
    ("round", .double(1.5), "the server's round is 1.5, and no whole number"),
  ]

  @Test func refused() throws {
    let trainer = try Line.trainer(batch: 4)
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let weights = ArrayRecord([
      .init("w", MessageArray(try Tensor(shape: [1, 2], values: [1, 2]))),
      .init("b", MessageArray(Tensor([3]))),
    ])
    func request(_ name: String, _ value: RecordValue) -> RecordDict {
      let settings = ValueRecord([.init(name, value)])
      return RecordDict([.init("arrays", .arrays(weights)), .init("config", .config(settings))])
    }
    for (name, value, _) in Self.wrong { double.send("train", request(name, value)) }
    var events: [SuperLink.Event] = []
    try link(double).run(
      TrainerClient(trainer, try Line.data(16)),
      isCancelled: { DeviceRun(events: events).failures.count == Self.wrong.count },
      report: { events.append($0) })
    #expect(DeviceRun(events: events).failures == Self.wrong.map(\.words))
    let told = try double.answers.map { answer -> String in
      if case .error(let error) = answer.content { error.reason } else { "it is served" }
    }
    #expect(told == Self.wrong.map(\.words))
    #expect(trainer.weights(named: "w")?.values == [0, 0])
    // What is nothing to this device is let be.
    double.send("train", request("momentum", .text("some")))
    try link(double).run(TrainerClient(trainer, try Line.data(16)), report: { events.append($0) })
    #expect(DeviceRun(events: events).rounds.count == 1)
  }

  /// A trainer that is only lent has its weights, its rate and its freedom back behind a round.
  @Test(arguments: [true, false]) func aRoundLeavesATrainerAsItWas(overwrites: Bool) throws {
    let trainer = try Line.trainer(batch: 4, rate: 0.25)
    let client = TrainerClient(trainer, try Line.data(16), overwrites: overwrites)
    let given = try [Tensor(shape: [1, 2], values: [1, 2]), Tensor([3])]
    let settings = RoundConfiguration([
      "rate": .number(0.01), "proximal-mu": .number(0.5), "epochs": .integer(2),
    ])
    let learned = try client.fit(given, settings).arrays.map(\.values)
    #expect(trainer.rate == 0.25 && trainer.tether == nil)
    #expect(client.parameters.map(\.values.values) == (overwrites ? learned : [[0, 0], [0]]))
    _ = try client.evaluate(given, RoundConfiguration())
    #expect(client.parameters.map(\.values.values) == (overwrites ? given.map(\.values) : [[0, 0], [0]]))
    #expect(learned != given.map(\.values))
  }

  /// Two records that say a setting differently are refused, if it is one that the device follows.
  @Test func twoRecords() throws {
    var answer = RequestAnswer(client: Doubler())
    func reason(_ name: String, _ values: RecordValue...) throws -> String? {
      var metadata = MessageMetadata()
      metadata.kind = "train"
      let settings = values.enumerated().map { row, value in
        RecordDict.Item("config\(row)", .config(ValueRecord([.init(name, value)])))
      }
      let records = RecordDict([.init("weights", .arrays(Self.arrays))] + settings)
      return try answer.content(for: Message(metadata, .records(records))).reason
    }
    let words = "the server's setting 'clipping_norm' is said twice, with two values"
    #expect(try reason("clipping_norm", .double(3), .double(5)) == words)
    #expect(try reason("clipping_norm", .double(3), .doubles([5])) == words)
    #expect(try reason("clipping_norm", .double(3), .integer(5)) == words)
    #expect(try reason("clipping_norm", .text("x"), .text("y")) == words)
    for same in [.double(3), .integer(3), .unsigned(3)] as [RecordValue] {
      #expect(try reason("clipping_norm", .double(3), same) == nil)
    }
    #expect(try reason("momentum", .double(3), .double(5)) == nil)
  }

  /// A norm that a program counts on for its own privacy is kept, in both forms, or refused.
  @Test(arguments: [true, false]) func clipping(isOld: Bool) throws {
    var answer = RequestAnswer(client: Doubler())
    func served(_ name: String, _ value: RecordValue) throws -> RequestAnswer.Served {
      var metadata = MessageMetadata()
      metadata.kind = "train"
      let arrays = ArrayRecord([
        .init(isOld ? "0" : "a", MessageArray(Tensor([1, 2, 3]))),
        .init(isOld ? "1" : "b", MessageArray(Tensor(4))),
      ])
      let records = RecordDict([
        .init(isOld ? "fitins.parameters" : "arrays", .arrays(arrays)),
        .init(isOld ? "fitins.config" : "config", .config(ValueRecord([.init(name, value)]))),
      ])
      return try answer.content(for: Message(metadata, .records(records)))
    }
    // It learns 2 4 6 8 of 1 2 3 4: a way of the norm √30.
    for (norm, share, bit) in [(1, 1 / 30.0.squareRoot(), 1), (6, 1, 0)] as [(Double, Double, Double)] {
      guard case .records(let records) = try served("clipping_norm", .double(norm)).content else {
        return #expect(Bool(false), "an error")
      }
      let arrays = try #require(records.arrays(isOld ? "fitres.parameters" : "arrays"))
      let values = try arrays.items.flatMap { try $0.array.tensor(named: "").values }
      for (value, start) in zip(values, [1, 2, 3, 4] as [Double]) {
        #expect(abs(Double(value) - start * (1 + share)) < 1e-5)
      }
      let metrics = try #require(
        records.items.compactMap { item -> ValueRecord? in
          switch item.record {
          case .metrics(let values): item.name == "metrics" ? values : nil
          case .config(let values): item.name == "fitres.metrics" ? values : nil
          case .arrays: nil
          }
        }.first)
      #expect(metrics["norm_bit"] == .double(bit) && values.count == 4)
    }
    for norm in [0, -1, .nan, .infinity] as [Double] {
      #expect(
        try served("clipping_norm", .double(norm)).reason == "the server asks for a clipping norm of \(norm)")
    }
    #expect(
      try served("dpfedavg_clip_norm", .double(1)).reason?.hasPrefix(
        "this device does not shorten what it learns as DPFedAvg asks") == true)
  }

  /// Weights that go out shortened are not to be had at their full length by another request, until others are there.
  @Test(arguments: [true, false]) func clippedParameters(overwrites: Bool) throws {
    let trainer = try Line.trainer(batch: 4)
    var answer = RequestAnswer(client: TrainerClient(trainer, try Line.data(16), overwrites: overwrites))
    func given(_ kind: String, _ group: String, _ settings: [ValueRecord.Item] = []) throws -> [[Float]] {
      var metadata = MessageMetadata()
      metadata.kind = kind
      let weights = ArrayRecord([
        .init("0", MessageArray(try Tensor(shape: [1, 2], values: [1, 2]))),
        .init("1", MessageArray(Tensor([3]))),
      ])
      let records = RecordDict([
        .init("\(group)ins.parameters", .arrays(weights)),
        .init("\(group)ins.config", .config(ValueRecord(settings))),
      ])
      guard case .records(let made) = try answer.content(for: Message(metadata, .records(records))).content
      else {
        throw FederatedError.answer("an error")
      }
      return try made.arrays("\(group)res.parameters")?.items.map { try $0.array.tensor(named: "").values }
        ?? []
    }
    let sent = try given("train", "fit", [.init("clipping_norm", .double(0.01))])
    let own = ["w", "b"].map { trainer.weights(named: $0)!.values }
    #expect(own != sent)
    #expect(try given("get_parameters", "getparameters") == (overwrites ? sent : own))
    #expect(try given("evaluate", "evaluate").isEmpty)
    #expect(try given("get_parameters", "getparameters") == (overwrites ? [[1, 2], [3]] : own))
    // Arrays that are not asked for shortened are given as they are.
    let whole = try given("train", "fit")
    #expect(try given("get_parameters", "getparameters") == (overwrites ? whole : own))
  }

  /// Where no setting says the round the message's group does: the order of examples is the round's, whatever came before.
  @Test func roundOfTheGroup() throws {
    func learned(_ group: String, _ settings: [ValueRecord.Item]) throws -> [[Float]] {
      var answer = RequestAnswer(client: TrainerClient(try Line.trainer(batch: 4), try Line.data(16)))
      var metadata = MessageMetadata()
      (metadata.kind, metadata.group) = ("train", group)
      let weights = ArrayRecord([
        .init("0", MessageArray(try Tensor(shape: [1, 2], values: [1, 2]))),
        .init("1", MessageArray(Tensor([3]))),
      ])
      let records = RecordDict([
        .init("fitins.parameters", .arrays(weights)), .init("fitins.config", .config(ValueRecord(settings))),
      ])
      guard case .records(let made) = try answer.content(for: Message(metadata, .records(records))).content
      else {
        throw FederatedError.answer("an error")
      }
      return try made.arrays("fitres.parameters")!.items.map { try $0.array.tensor(named: "").values }
    }
    let third = try learned("", [.init("server-round", .integer(3))])
    #expect(try learned("3", []) == third && learned("", []) != third)
    // A setting comes first, and a group may be no number.
    #expect(try learned("7", [.init("server-round", .integer(3))]) == third)
    #expect(try learned("x", []) == learned("", []))
  }

  /// Weights that are no finite numbers do not stay in the device: they would go at the next request for its weights.
  @Test func notFinite() throws {
    let trainer = try Trainer(
      Model(Line.text), TrainingTask(loss: "mae(y, target)", targets: ["target": [1]], batch: 4),
      optimizer: .sgd(rate: 1000), threads: 1)
    let data = try TensorExamples([
      "x": Tensor(shape: [4, 2], values: [Float](repeating: 1, count: 8)),
      "target": Tensor(shape: [4, 1], values: [1, 1, 1, 1]),
    ])
    let client = TrainerClient(trainer, data)
    let begin = client.parameters.map(\.values)
    // All gradients are of the size of 1. A step leads to 1000, from where the tether pulls with 1e38 times 1000.
    let configuration = RoundConfiguration(["proximal-mu": .number(1e38), "epochs": .integer(2)])
    #expect(throws: FederatedError.answer("what was learned is no finite number")) {
      try client.fit(begin, configuration)
    }
    #expect(client.parameters.map(\.values) == begin)
  }

  /// Weights from which learning overflows are the server's fault, and it is told so, as where they are judged.
  @Test func overflow() throws {
    let client = TrainerClient(try Line.trainer(batch: 4), try Line.data(16))
    let begin = client.parameters.map(\.values)
    let wild = [try Tensor(shape: [1, 2], values: [1e38, 1e38]), Tensor([0])]
    #expect(
      throws: FederatedError.answer(
        "learning from the server's arrays came to a loss or a gradient that is no finite number")
    ) { try client.fit(wild, RoundConfiguration([:])) }
    #expect(client.parameters.map(\.values) == begin)
    let judged = try client.evaluate(wild, RoundConfiguration([:]))
    #expect(judged.metrics["loss"]?.isFinite == false)
    #expect(client.parameters.map(\.values) == begin)
    let calm = [try Tensor(shape: [1, 2], values: [1, 2]), Tensor([0])]
    #expect(try client.evaluate(calm, RoundConfiguration([:])).metrics["loss"]?.isFinite == true)
    #expect(client.parameters.map(\.values) == calm)
  }

  /// All names of a setting count, not only the first.
  @Test func twoNames() throws {
    let same = RoundConfiguration(["epochs": .integer(3), "local_epochs": .number(3)])
    #expect(try same.number("epochs", "local-epochs") == 3)
    for (other, words) in [
      (.text("x"), "the server's setting 'local_epochs' is 'x', and no number"),
      (.integer(5), "the server's settings 'epochs' and 'local_epochs' are one, and it says 3.0 and 5.0"),
    ] as [(FederatedValue, String)] {
      let unlike = RoundConfiguration(["epochs": .integer(3), "local_epochs": other])
      #expect(throws: FederatedError.answer(words)) { try unlike.number("epochs", "local-epochs") }
    }
  }
}
