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
    ("epochs", .integer(-1), "the server asks for -1.0 epochs; 1 to 1000000 are possible"),
    ("epochs", .double(1.5), "the server asks for 1.5 epochs; 1 to 1000000 are possible"),
    ("rate", .text("fast"), "the server's setting 'rate' is 'fast', and no number"),
    ("lr", .double(-0.5), "the server asks for a rate of -0.5, and a proximal-mu of 0.0"),
    ("learning-rate", .double(.nan), "the server asks for a rate of nan, and a proximal-mu of 0.0"),
    ("proximal_mu", .bytes([1]), "the server's setting 'proximal_mu' is a list or bytes, and no number"),
    ("proximal-mu", .double(-1), "the server asks for a rate of 0.1, and a proximal-mu of -1.0"),
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
