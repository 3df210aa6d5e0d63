// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Synchronization
import TestEquipment
import Testing

@testable import LegatoFederated

/// A device at a server that errs: it answers what can be answered, once, and says the rest in one line.
@Suite(.serialized) struct SuperLinkTests: ServedDevice {
  @Test func aRoundOfMessages() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let name = double.send("train", Self.train, group: "9")
    let run = run(try link(double))
    #expect(run.error == nil && run.failures.isEmpty)
    #expect(run.rounds.map(\.kind) == ["train"] && run.rounds[0].round == 3 && run.rounds[0].run == 5)
    #expect(run.rounds[0].sent == double.pushedBytes)
    let answer = try #require(try double.answers.first)
    #expect(answer.metadata.answers == name && answer.metadata.group == "9" && answer.metadata.run == 5)
    guard case .records(let records) = answer.content else { return #expect(Bool(false), "an error") }
    let arrays = try #require(records.arrays("weights"))
    #expect(arrays.items.map(\.name) == ["b", "a"])
    #expect(try arrays.items.map { try $0.array.tensor(named: "").values } == [[8], [2, 4, 6]])
    guard case .metrics(let metrics)? = records.items.last?.record else { return #expect(Bool(false)) }
    #expect(metrics["num-examples"] == .integer(7) && metrics["loss"] == .double(0.5))
    #expect(double.confirmed == [name] && double.badSignatures == 0)
    #expect(
      double.calls.prefix(2) == ["register-node", "activate-node"] && double.calls.last == "deactivate-node")
  }

  @Test func oldStrategies() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let old = ArrayRecord([
      .init("0", MessageArray(Tensor([1, 2, 3]), isNamed: false)),
      .init("1", MessageArray(Tensor(4), isNamed: false)),
    ])
    func request(_ name: String) -> RecordDict {
      RecordDict([.init("\(name).parameters", .arrays(old)), .init("\(name).config", .config(ValueRecord()))])
    }
    double.send("get_properties", RecordDict([.init("getpropertiesins.config", .config(ValueRecord()))]))
    double.send("get_parameters", RecordDict([.init("getparametersins.config", .config(ValueRecord()))]))
    double.send("evaluate", request("evaluateins"))
    double.send("train", request("fitins"))
    let run = run(try link(double))
    #expect(run.rounds.map(\.kind) == ["get_properties", "get_parameters", "evaluate", "train"])
    let answers = try double.answers.map { answer -> RecordDict in
      guard case .records(let records) = answer.content else { throw FederatedError.answer("\(answer)") }
      return records
    }
    #expect(answers[0].config("getpropertiesres.properties")?["colour"] == .text("blue"))
    #expect(answers[0].config("getpropertiesres.status")?["code"] == .integer(0))
    #expect(answers[1].arrays("getparametersres.parameters")?.items.map(\.name) == ["0", "1"])
    #expect(
      answers[2].items.map(\.name) == [
        "evaluateres.loss", "evaluateres.num_examples", "evaluateres.metrics", "evaluateres.status",
      ])
    #expect(answers[2].config("evaluateres.metrics")?["accuracy"] == .double(0.25))
    let fit = try #require(answers[3].arrays("fitres.parameters"))
    #expect(try fit.items.map { try $0.array.tensor(named: "").values } == [[2, 4, 6], [8]])
  }

  /// A request that the device does not offer, or that cannot be, is answered with an error that says why.
  @Test func errorsAreAnswers() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let nan = ArrayRecord([
      .init("a", MessageArray(Tensor([1, .nan, 3]))), .init("b", MessageArray(Tensor(4))),
    ])
    let wide = ArrayRecord([.init("a", MessageArray(Tensor([1, 2]))), .init("b", MessageArray(Tensor(4)))])
    let other = ArrayRecord([
      .init("a", MessageArray(Tensor([1, 2, 3]))), .init("c", MessageArray(Tensor(4))),
    ])
    double.send("train.secagg", Self.train)
    double.send("train", RecordDict())
    for arrays in [nan, wide, other, ArrayRecord([Self.arrays.items[0]])] {
      double.send("train", RecordDict([.init("arrays", .arrays(arrays))]))
    }
    let failing = ValueRecord([.init("fail", .integer(1))])
    double.send(
      "train", RecordDict([.init("arrays", .arrays(Self.arrays)), .init("config", .config(failing))]))
    double.send("train", Self.train)
    let run = run(try link(double))
    let expected = [
      "this device does not offer 'train.secagg'; it offers train, evaluate, query, get_parameters and get_properties",
      "a request for this device has one record of arrays; this one has 0",
      "the server's array 'a' holds what is no finite number",
      "the server's array 'a' is [2], and 'a' of the model [3]", "the server has no array 'b'",
      "the server has 1 array, and this device learns 2: a [3], b []",
    ]
    // What may name files is for the owner's eyes.
    #expect(run.failures == expected + ["no data today"])
    #expect(run.rounds.count == 1)
    let reasons = try double.answers.compactMap { answer -> String? in
      if case .error(let error) = answer.content { error.reason } else { nil }
    }
    #expect(reasons == expected + ["the device failed at this request; the reason stays with it"])
  }

  /// Objects that are not what they are said to be do not reach the client; the next message is served.
  @Test(arguments: ["hash", "gone", "large", "order"])
  func falseObjects(kind: String) throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("train", Self.train) { contents in
      let chunks = contents.filter { $0.value.starts(with: Array("ArrayChunk".utf8)) }.keys.sorted()
      switch kind {
      case "hash": contents[chunks[0]]![40] ^= 1
      case "gone": contents[chunks[0]] = nil
      case "large": contents[chunks[0]]! += [UInt8](repeating: 0, count: 300_000)
      default: (contents[chunks[0]], contents[chunks[1]]) = (contents[chunks[1]], contents[chunks[0]])
      }
    }
    let others = ArrayRecord([
      .init("a", MessageArray(Tensor([7, 8, 9]))), .init("b", MessageArray(Tensor(5))),
    ])
    double.send("train", RecordDict([.init("weights", .arrays(others))]))
    var link = try link(double)
    link.mostBytes = 200_000
    if kind == "gone" { link.patience = 0.5 }
    let run = run(link)
    #expect(run.error == nil && run.failures.count == 1 && run.rounds.count == 1, "\(run)")
    // The server does not wait for it.
    guard case .error(let told)? = try double.answers.first?.content else {
      return #expect(Bool(false), "no answer")
    }
    #expect(told.reason == run.failures[0])
    if kind == "gone" { #expect(told.reason.contains("of its message for 1 s")) }
  }

  @Test(arguments: [401, 403]) func notLetIn(status: Int) throws {
    let double = FleetDouble(Self.key) { _, _ in .status(status) }
    defer { double.end() }
    let error = try #require(run(try link(double)).error)
    guard case .refused(let text) = error else { return #expect(Bool(false), "\(error)") }
    #expect(
      text
        == "\(double.address): the server answers register-node with \(status): 'no? luck'; the server does not know "
        + "this key, or its owner has to register it")
  }

  @Test(arguments: [-900.0, 4000]) func clocks(lead: Double) throws {
    let double = FleetDouble(Self.key) { _, _ in .clock(lead) }
    defer { double.end() }
    let error = try #require(run(try link(double)).error)
    #expect(
      error.description.contains(lead < 0 ? "s ahead of the server's" : "s behind the server's"), "\(error)")
  }

  /// Before a device was in, an error of the server's ends the run; nobody is there: the same.
  @Test func neverIn() throws {
    let double = FleetDouble(Self.key) { _, _ in .status(500) }
    guard case .server? = run(try link(double)).error else { return #expect(Bool(false)) }
    double.end()
    let gone = try link(double)
    guard case .unreachable? = run(gone).error else { return #expect(Bool(false)) }
    var patient = gone
    patient.waits = true
    let waited = run(patient) { $0.count >= 5 }
    #expect(waited.error == nil && waited.losses.count >= 5)
  }

  /// Each call fails once, in each way; the round is answered once for all that.
  @Test(arguments: [
    "register-node", "activate-node", "pull-messages", "pull-object", "push-messages", "push-object",
    "confirm-message-received", "get-run", "deactivate-node",
  ])
  func eachCallFailsOnce(name: String) throws {
    for fault: FleetDouble.Fault in [.status(503), .closed, .cutOff] {
      let double = FleetDouble(Self.key) { path, turn in path == name && turn == 0 ? fault : nil }
      defer { double.end() }
      double.send("train", Self.train)
      var link = try link(double)
      link.waits = true
      let run = run(link) { $0.count > 20 || double.calls.count > 200 }
      #expect(run.error == nil && run.rounds.count == 1, "\(name), \(fault): \(run)")
      #expect(try Set(double.answers.map(\.metadata.answers)).count == 1)
    }
  }

  @Test(arguments: ["pull-messages", "pull-object", "push-messages", "push-object"])
  func errorsOfTheServer(name: String) throws {
    let double = FleetDouble(Self.key) { path, turn in path == name && turn == 0 ? .status(500) : nil }
    defer { double.end() }
    double.send("train", Self.train)
    double.send("train", Self.train, group: "second")
    var link = try link(double)
    link.rounds = nil
    let run = run(link) { DeviceRun(events: $0).rounds.count + DeviceRun(events: $0).failures.count == 2 }
    #expect(run.error == nil && run.rounds.count + run.failures.count == 2, "\(run)")
    #expect(run.failures.count + run.losses.count == 1)
  }

  /// Answers that are damaged: 500 ways, and the device is still there.
  @Test func damagedAnswers() throws {
    let random = Mutex(SplitMix(seed: 4))
    let pulled = bytes(FederatedReference.message("train").pulled)
    let double = FleetDouble(Self.key) { path, turn in
      guard path == "pull-messages", turn < 500 else { return nil }
      return .body(
        random.withLock { random in
          var damaged = pulled
          random.damage(&damaged)
          return damaged
        })
    }
    defer { double.end() }
    double.send("train", Self.train)
    var link = try link(double)
    link.away = (0.0001, 0.001)
    let run = run(link)
    #expect(run.error == nil && run.rounds.count == 1)
  }

  /// An array that stands for none is none, on the way in and on the way out.
  @Test func emptyArrays() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let arrays = ArrayRecord([.init("_empty", MessageArray(Tensor(0)))] + Self.arrays.items)
    double.send("train", RecordDict([.init("weights", .arrays(arrays))]))
    let run = run(try link(double))
    #expect(run.rounds.count == 1 && run.failures.isEmpty)
    guard case .records(let records)? = try double.answers.first?.content else {
      return #expect(Bool(false), "an error")
    }
    #expect(records.arrays("weights")?.items.map(\.name) == ["b", "a"])
  }

  /// A part that is written elsewhere, and answers with other arrays than it states.
  private struct Careless: FederatedClient {
    var names = ["a", "b"]
    let learned: [Tensor]
    var parameters: [FederatedParameter] {
      [.init(name: names[0], values: Tensor([1, 2, 3])), .init(name: names[1], values: Tensor(4))]
    }
    var properties: [String: FederatedValue] { [:] }

    func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) -> FederatedResult {
      FederatedResult(arrays: learned, examples: 1)
    }
    func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) -> FederatedResult {
      FederatedResult(examples: 1, metrics: ["accuracy": 1])
    }
  }

  /// Old strategies aggregate losses: one that there is not is no 0.
  @Test func withoutALoss() throws {
    var answer = RequestAnswer(client: Careless(learned: []))
    var metadata = MessageMetadata()
    metadata.kind = "evaluate"
    for key in ["evaluateins.parameters", "arrays"] {
      let items = zip(key == "arrays" ? ["a", "b"] : ["0", "1"], [Tensor([1, 2, 3]), Tensor(4)])
      let arrays = ArrayRecord(items.map { ArrayRecord.Item($0, MessageArray($1)) })
      let served = try answer.content(
        for: Message(metadata, .records(RecordDict([.init(key, .arrays(arrays))]))))
      #expect(
        served.reason
          == (key == "arrays" ? nil : "this device judges without a loss, which old strategies need"))
    }
  }

  @Test func aCarelessPartIsTold() throws {
    func reason(_ client: Careless, _ arrays: [Tensor], _ key: String) throws -> String? {
      let items = zip(key == "weights" ? ["a", "b"] : ["0", "1"], arrays).map {
        ArrayRecord.Item($0, MessageArray($1))
      }
      let records = RecordDict([.init(key, .arrays(ArrayRecord(items)))])
      let double = FleetDouble(Self.key)
      defer { double.end() }
      double.send("train", records)
      var events: [SuperLink.Event] = []
      try link(double).run(
        client, isCancelled: { !DeviceRun(events: events).failures.isEmpty }, report: { events.append($0) })
      return DeviceRun(events: events).failures.first
    }
    let own = [Tensor([1, 2, 3]), Tensor(4)]
    let shapes = "what was learned has not the number and shapes that this device states"
    for key in ["weights", "fitins.parameters"] {
      for learned in [[], [own[0]], [own[1], own[0]], own + own] {
        #expect(try reason(Careless(learned: learned), own, key) == shapes)
      }
      #expect(
        try reason(Careless(names: ["a", "a"], learned: own), own, key)
          == "this device states two arrays of one name")
    }
  }

  /// A key that is in use by another device: what to do is said.
  @Test func keyInUse() throws {
    let double = FleetDouble(Self.key) { path, _ in
      path == "activate-node"
        ? .error(412, code: 2004) : path == "register-node" ? .error(409, code: 23) : nil
    }
    defer { double.end() }
    let error = try #require(run(try link(double)).error)
    #expect(error.description.contains("(code 2004): a device with this key is there already"), "\(error)")
  }

  /// A server whose owner registers devices says the same of a key that is unknown: both remedies are told.
  @Test(arguments: [false, true]) func keyUnknown(isKept: Bool) throws {
    let folder = try TemporaryFolder()
    let key = isKept ? try SigningKey.reading(orMakingAt: folder("key.pem")).key : try SigningKey()
    let double = FleetDouble(Self.key) { path, _ in
      path == "activate-node"
        ? .error(412, code: 2004) : path == "register-node" ? .error(412, code: 2001) : nil
    }
    defer { double.end() }
    var link = try SuperLink(double.address, key: key)
    link.patience = 20
    let error = try #require(run(link).error)
    let remedy =
      isKept
      ? "has not registered this key (ssh-keygen -y -f key.pem > key.pub, and there flwr supernode register key.pub), or a "
        + "device with this key is there already"
      : "registers the keys of devices, and this one is new with each run; give one in a file (--key)"
    #expect(error.description.contains("(code 2004): the server's owner \(remedy)"), "\(error)")
  }

  /// Over https who is believed is said by a file, or the system.
  @Test func certificates() throws {
    let folder = Bundle.module.resourcePath! + "/reference/tls/"
    let double = FleetDouble(Self.key, certificate: .init(folder + "server"))
    defer { double.end() }
    double.send("train", Self.train)
    var link = try link(double)
    link.rootCertificates = try RootCertificates(contentsOf: folder + "server.pem")
    #expect(run(link).error == nil)
    #expect(double.calls.contains("push-messages") && double.badSignatures == 0)
    var other = try SuperLink(double.address.replacing("127.0.0.1", with: "localhost"), key: Self.key)
    other.rootCertificates = link.rootCertificates
    #expect(
      run(other).error?.description.hasSuffix(
        ": its certificate is for 'IP Address:127.0.0.1', and not for 'localhost'; call it by a name that stands there"
      )
        == true)
    let text = try String(contentsOfFile: folder + "server.pem", encoding: .utf8)
    for host in ["127.0.0.1", "localhost", "127.0.0.2", ""] {
      #expect(HTTPConnection.names(host, in: text) == (host == "127.0.0.1"))
      #expect(!HTTPConnection.names(host, in: "no certificate"))
    }
    let untrusted = FederatedError.refused(
      "\(double.address): its certificate is not trusted; root certificates name the authority that signed it"
    )
    link.rootCertificates = try RootCertificates(contentsOf: folder + "other.pem")
    #expect(run(link).error == untrusted)
    link.rootCertificates = nil
    #expect(run(link).error == untrusted)
    for (file, message) in [
      ("server.key", "has no certificate of an authority in PEM"), ("none.pem", "no such file"),
    ] {
      #expect(throws: FederatedError.key("\(folder)\(file): \(message)")) {
        try RootCertificates(contentsOf: folder + file)
      }
    }
  }
}
