// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Synchronization
import Testing

@testable import LegatoFederated

/// A device gives its weights to a sum, and to nothing else.
@Suite struct SecureRoundTests: ServedDevice {
  /// A device that has learned what it has.
  private struct Learned: FederatedClient {
    let row: Int
    var values: [Tensor] { [Tensor([1, Float(row), -0.3]), Tensor(Float(row) / 7)] }
    var examples: Int { 100 * (row + 1) }
    var parameters: [FederatedParameter] {
      [.init(name: "a", values: Tensor([0, 0, 0])), .init(name: "b", values: Tensor(0))]
    }
    var properties: [String: FederatedValue] { [:] }
    func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult {
      FederatedResult(
        arrays: values, examples: examples, metrics: ["rate": try configuration.number("rate") ?? 0])
    }
    func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) -> FederatedResult {
      FederatedResult(examples: examples, metrics: ["loss": 1])
    }
  }

  private static let clients = (0..<7).map { Learned(row: $0) }
  /// One of them has no room for a sign.
  private static let nodes: [UInt64] = [12, 7, .max - 3, 9_000_000_000, 8, 3, 99]

  private func server() throws -> SecureServer {
    let security = try SecureAggregation(among: 6)
    return SecureServer(
      zip(Self.nodes, Self.clients).map { node, client in
        var answer = RequestAnswer(client: client, security: security)
        return (node, { try answer.content(for: $0).content })
      }, Self.clients[0].parameters.map(\.values))
  }

  /// Once the weights have gone out a device may go.
  @Test(arguments: [nil, 0, 2, 6]) func wholeRounds(silent: Int?) throws {
    let server = try server()
    try server.setup()
    try server.shareKeys()
    try server.collectMaskedVectors()
    let means = try server.unmask(without: silent.map { Self.nodes[$0] })
    #expect(Self.areRight(means), "\(means)")
    // What was sent has nothing to do with what was learned.
    let sent = server.masked.values.flatMap { $0.joined() }
    #expect(Set(sent).count == sent.count)
    // A stage is answered once.
    #expect(throws: FederatedError.self) { try server.unmask() }
  }

  /// Whether means are those of what the devices have learned.
  private static func areRight(_ means: [[Double]]) -> Bool {
    let whole = clients.reduce(0.0) { $0 + Double($1.examples) }
    // A step of each device.
    let bound = Double(clients.count) * 16 / 4_194_304 * 1000 / whole
    return (0..<2).allSatisfy { array in
      means[array].indices.allSatisfy { place in
        let mean =
          clients.reduce(0.0) { $0 + Double($1.values[array].values[place]) * Double($1.examples) } / whole
        return abs(means[array][place] - mean) <= bound
      }
    }
  }

  /// A server that sends one device something else than the others, who do not learn then, reads nothing of it.
  @Test(arguments: ["weights", "rate", "settings", "nothing"]) func unlikeOthers(kind: String) throws {
    let server = try server()
    let (victim, weights) = (Self.nodes[2], Self.clients[0].parameters.map(\.values))
    server.instructions = { node in
      let isOther = node != victim
      return (
        kind == "weights" && isOther ? [Tensor([9, 9, 9]), weights[1]] : weights,
        kind == "rate" && isOther ? 1e-30 : 0.5
      )
    }
    server.change = { stage, node, record in
      // Of no consequence but for who is told.
      guard kind == "settings", stage == .setup, node == victim else { return record }
      return Self.replacing(record, [.init("sample_num", .integer(8))])
    }
    try server.setup()
    try server.shareKeys()
    try server.collectMaskedVectors()
    #expect(Self.areRight(try server.unmask()) == (kind == "nothing"))
    // Its program can see it.
    #expect(server.scores.allSatisfy { $0.map(\.name) == ["sent-hash"] })
    #expect(Set(server.scores.map { $0[0].value }).count == (kind == "nothing" ? 1 : 2))
  }

  /// A device of Python among them: its masks are drawn as Flower draws them, and it is given no share of a mask key.
  @Test func besideFlower() throws {
    let server = try server()
    let other = FlowerDevice(
      Self.nodes[4], Self.clients[4].values, examples: Self.clients[4].examples, most: 1000)
    server.devices[4].ask = { try other.answer($0) }
    try server.setup()
    try server.shareKeys()
    try server.collectMaskedVectors()
    #expect(Self.areRight(try server.unmask()))
    #expect(other.besideShares == Array(repeating: Array("Legato1".utf8), count: 6))
  }

  /// Only devices of Legato count among those that one hides with, and these draw their masks alike.
  @Test(arguments: [nil, "Legato", "Legato2", "Legato10"]) func neighboursThatDoNotCount(tail: String?) throws
  {
    let server = try server()
    for row in tail == nil ? [1, 4] : [4] {
      let client = Self.clients[row]
      let other = FlowerDevice(Self.nodes[row], client.values, examples: client.examples, most: 1000)
      other.tail = tail.map { Array($0.utf8) }
      server.devices[row].ask = { try other.answer($0) }
    }
    try server.setup()
    try server.shareKeys()
    let error = #expect(throws: FederatedError.self) { try server.collectMaskedVectors() }
    let words =
      tail.map { "device 8 of the server's secure aggregation has the mark '\($0)', and this one 'Legato1'" }
      ?? "of the 6 other devices that share in the server's secure aggregation 4 are of Legato; this one hides among 6 or more"
    #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
    #expect(server.masked.isEmpty)
  }

  /// Nobody is given a part of a mask key: there is no room for one, and where a device is said to have ended nothing is told.
  @Test func aDeviceThatEndsWhileItLearns() throws {
    let server = try server()
    try server.setup()
    try server.shareKeys()
    // 20 bytes of numbers, a share of 32 bytes that were filled up to 48, and a mark of 7, as a token of Fernet.
    #expect(server.tokens.count == 42 && server.tokens.allSatisfy { $0.token.count == 184 })
    try server.collectMaskedVectors(without: Self.nodes[4])
    let error = #expect(throws: FederatedError.self) { try server.unmask() }
    #expect(error?.description.contains("device 8 has left") == true)
    #expect(server.given.isEmpty)
  }

  /// Scores of training stay, and those of judging where the owner says so.
  @Test func scores() throws {
    let server = try server()
    try server.setup()
    try server.shareKeys()
    try server.collectMaskedVectors()
    #expect(server.scores.map { $0.map(\.name) } == Array(repeating: ["sent-hash"], count: 7))
    var security = try SecureAggregation()
    for judges in [true, false] {
      security.judges = judges
      var answer = RequestAnswer(client: Doubler(), security: security)
      var metadata = MessageMetadata()
      metadata.kind = "evaluate"
      let served = try answer.content(for: Message(metadata, .records(Self.train)))
      #expect(served.reason?.contains("tells no scores") == (judges ? nil : true))
    }
  }

  /// Choices and lies of a server that the device does not go along with.
  private static let lies: [(name: String, stage: SecureStage, items: [ValueRecord.Item], words: String)] = [
    (
      "a sum of five", .setup, [.init("share_num", .integer(5))],
      "hide among 5 (num_shares), and this one hides among 6 or more: as many devices"
    ),
    ("more than there are", .setup, [.init("threshold", .integer(8))], "no more can tell it than there are"),
    ("a million shares", .setup, [.init("share_num", .integer(1_000_000))], "up to 1000 shares"),
    ("a negative one", .setup, [.init("threshold", .integer(-3))], "no whole number above 0 as 'threshold'"),
    ("no modulus", .setup, [.init("mod_range", .integer(3_000_000_000))], "a power of 2"),
    ("a large modulus", .setup, [.init("mod_range", .integer(1 << 40))], "a power of 2"),
    ("a range as large", .setup, [.init("target_range", .integer(1 << 32))], "the other less"),
    ("an overflow", .setup, [.init("sample_num", .integer(1024))], "overflows"),
    ("rough steps", .setup, [.init("clipping_range", .double(1e6))], "0.01 is the most"),
    (
      "rough steps of a few", .setup, [.init("max_weight", .double(1e6))], "of 100 examples in steps of 0.038"
    ),
    ("endless steps", .setup, [.init("clipping_range", .double(.infinity))], "'clipping_range'"),
    ("no weight", .setup, [.init("max_weight", .double(.nan))], "'max_weight'"),
    ("too small a weight", .setup, [.init("max_weight", .double(50))], "up to 50.0 examples (max_weight)"),
    ("no stage", .setup, [.init("stage", .text("settle"))], "no stage"),
    ("a later stage", .setup, [.init("stage", .text("unmask"))], "out of its turn"),
    ("too few", .shareKeys, [], "has 5 devices beside each other; 6 are needed"),
    ("a key twice", .shareKeys, [], "twice"), ("a key in two forms", .shareKeys, [], "twice"),
    ("a mirrored key", .shareKeys, [], "twice"), ("no point", .shareKeys, [], "no point of a curve"),
    ("no key", .shareKeys, [], "is none"),
    ("another own key", .shareKeys, [], "other public keys of this device"),
    ("another curve", .shareKeys, [], "another kind than P-384"),
    ("too few shares", .collectMaskedVectors, [], "of the 4 other devices"),
    ("a share twice", .collectMaskedVectors, [], "other shares than devices"),
    ("another's share", .collectMaskedVectors, [], "did not seal for this one"),
    ("both secrets", .unmask, [], "has left"), ("a dead one", .unmask, [], "keys to masks are not given"),
    ("a stranger", .unmask, [], "which has given none"), ("no list", .unmask, [], "does not list devices"),
  ]

  @Test(arguments: lies.map(\.name)) func hostile(name: String) throws {
    let lie = Self.lies.first { $0.name == name }!
    let server = try server()
    let victim = Self.nodes[0]
    server.change = { stage, node, record in
      guard node == victim else { return record }
      guard stage == lie.stage else { return record }
      if name == "too few" {
        let others = record.items.filter { $0.name != "stage" && $0.name != String(victim) }
        return ValueRecord(
          record.items.filter { item in !others.dropFirst(4).contains { $0.name == item.name } })
      }
      return Self.replacing(record, lie.items.isEmpty ? Self.changed(name, server) : lie.items)
    }
    func play() throws {
      try server.setup()
      try server.shareKeys()
      try server.collectMaskedVectors()
      _ = try server.unmask()
    }
    let error = #expect(throws: FederatedError.self) { try play() }
    #expect(error?.description.contains(lie.words) == true, "\(String(describing: error))")
    // Whoever was lied to goes on with nothing: no second try.
    server.change = { $2 }
    let again = [SecureStage.shareKeys, .collectMaskedVectors, .unmask]
    for stage in again {
      let text = ValueRecord([.init("stage", .text(stage.rawValue))])
      let error = #expect(throws: FederatedError.self) { try server.ask(server.devices[0], stage, text) }
      #expect(error?.description.contains("out of its turn") == true, "\(String(describing: error))")
    }
    // A round that begins anew is one like any other.
    #expect(throws: Never.self) { try server.setup() }
  }

  private static func replacing(_ record: ValueRecord, _ items: [ValueRecord.Item]) -> ValueRecord {
    ValueRecord(record.items.filter { old in !items.contains { $0.name == old.name } } + items)
  }

  /// Values that depend on what was said before.
  private static func changed(_ name: String, _ server: SecureServer) -> [ValueRecord.Item] {
    func new() -> [[UInt8]] {
      (0..<2).map { _ in Array(((try? SigningKey())?.publicText ?? "").utf8) }
    }
    let own = String(nodes[0])
    switch name {
    case "a key twice":
      let others = server.keys[nodes[1]]!
      return [.init(String(nodes[1]), .byteStrings([others[0], others[0]]))]
    case "a key in two forms":
      let others = (server.keys[nodes[1]]!, server.keys[nodes[2]]!)
      return [.init(String(nodes[2]), .byteStrings([compressed(others.0[0]), others.1[1]]))]
    case "a mirrored key":
      let others = (server.keys[nodes[1]]!, server.keys[nodes[2]]!)
      let mirrored = compressed(others.0[0], isMirrored: true)
      return [.init(String(nodes[2]), .byteStrings([mirrored, others.1[1]]))]
    case "no point": return [.init(String(nodes[1]), .byteStrings([infinity, server.keys[nodes[1]]![1]]))]
    case "no key": return [.init(String(nodes[1]), .byteStrings([[1, 2, 3], [4]]))]
    case "another own key": return [.init(own, .byteStrings(new()))]
    case "another curve":
      let text = Array(FederatedReference.keys.keys[0].public.utf8)
      return [.init(String(nodes[1]), .byteStrings([new()[0], text]))]
    case "too few shares", "a share twice", "another's share":
      let tokens = server.tokens.filter { $0.destination == nodes[0] }
      let (sources, texts) = (tokens.map(\.source), tokens.map(\.token))
      let (few, twice) = (name == "too few shares", name == "a share twice")
      return [
        .init(
          "srcs",
          SecureServer.list(
            few ? Array(sources.prefix(4)) : twice ? [sources[0]] + sources.dropLast() : sources)),
        .init("ctxts", .byteStrings(few ? Array(texts.prefix(4)) : twice ? texts : texts.reversed())),
      ]
    case "both secrets": return [.init("dead_nids", SecureServer.list([nodes[3]]))]
    case "a dead one":
      return [
        .init("active_nids", SecureServer.list(Array(nodes.dropLast()))),
        .init("dead_nids", SecureServer.list(Array(nodes.suffix(1)))),
      ]
    case "a stranger": return [.init("active_nids", SecureServer.list([100]))]
    case "no list": return [.init("active_nids", .text("all"))]
    case _: return []
    }
  }

  /// A public key on P-384 in PEM, with one coordinate and the sign of the other.
  ///
  /// - Parameter isMirrored: whether it is the other sign's, which makes it the negative of the point.
  private static func compressed(_ key: [UInt8], isMirrored: Bool = false) -> [UInt8] {
    let text = String(decoding: key, as: UTF8.self).split(separator: "\n").dropFirst().dropLast().joined()
    let bytes = Array(Data(base64Encoded: text)!)
    // Two sequences, the names of the algorithm and the curve, then the bits of the point.
    let inner: [UInt8] = [0x03, 0x32, 0x00, 2 + (bytes.last! + (isMirrored ? 1 : 0)) % 2] + bytes[24..<72]
    return publicKey([0x30, 0x46] + bytes[2..<20] + inner)
  }

  /// The point of P-384 that has no coordinates.
  private static let infinity = publicKey(
    [0x30, 0x16, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
      + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x02, 0x00, 0x00])

  private static func publicKey(_ bytes: [UInt8]) -> [UInt8] {
    let made =
      "-----BEGIN PUBLIC KEY-----\n\(Data(bytes).base64EncodedString(options: .lineLength64Characters))"
    return Array((made + "\n-----END PUBLIC KEY-----\n").utf8)
  }

  private final class Finished: Sendable {
    let run = Mutex<DeviceRun?>(nil)
    let isOver = DispatchSemaphore(value: 0)
  }

  /// Over the network: what is in the clear is refused, stages are no rounds, and what is told of the data is counted once.
  @Test func aDeviceAtAServer() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    var made = try link(double)
    made.secureAggregation = try SecureAggregation()
    made.rounds = 2
    let (link, finished) = (made, Finished())
    let thread = Thread {
      var run = DeviceRun()
      do throws(FederatedError) {
        try link.run(Doubler(noise: 2), report: { run.events.append($0) })
      } catch {
        run.error = error
      }
      finished.run.withLock { $0 = run }
      finished.isOver.signal()
    }
    thread.start()
    func ask(_ message: Message) throws -> Message.Content {
      guard case .records(let records) = message.content else { return message.content }
      let name = double.send(message.metadata.kind, records, group: message.metadata.group)
      let end = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < end {
        if let answer = try? double.answers.first(where: { $0.metadata.answers == name }) {
          return answer.content
        }
        guard finished.run.withLock({ $0 == nil }) else {
          throw FederatedError.unreachable("the device has ended")
        }
        usleep(1000)
      }
      throw FederatedError.unreachable("the device does not answer")
    }
    func refusal(_ kind: String, _ records: RecordDict) throws -> String? {
      var metadata = MessageMetadata()
      metadata.kind = kind
      if case .error(let error) = try ask(Message(metadata, .records(records))) { return error.reason }
      return nil
    }
    #expect(try refusal("train", Self.train)?.contains("in a secure aggregation") == true)
    #expect(try refusal("get_parameters", RecordDict())?.contains("in a secure aggregation") == true)
    #expect(try refusal("evaluate", Self.train) == nil)
    for row in 0..<3 {
      let others = try server().devices.dropFirst().map { ($0.node, $0.ask) }
      let server = SecureServer([(FleetDouble.node, ask)] + others, [Tensor([1, 2, 3]), Tensor(4)])
      try server.setup()
      // The first aggregation has come to nothing when the second one begins.
      if row == 0 { continue }
      try server.shareKeys()
      try server.collectMaskedVectors()
      // 8 of 7 examples, and 1 to 6 sevenths of 200 to 700.
      let mean = (8 * 7 + 1600) / 2707.0
      #expect(abs(try server.unmask()[1][0] - mean) < 1e-4)
    }
    try #require(finished.isOver.wait(timeout: .now() + 60) == .success)
    let run = finished.run.withLock { $0! }
    #expect(run.error == nil && run.failures.count == 3 && run.failures[2].contains("has come to no sum"))
    let stages = ["setup", "share_keys", "collect_masked_vectors", "unmask"]
    #expect(run.rounds.filter { $0.kind == "train" }.map(\.stage) == ["setup"] + stages + stages)
    #expect(run.rounds.filter { $0.result != nil && $0.stage != nil }.map(\.exposure) == [0.25, 0.5])
    let six = SuperLink.Neighbours(count: 6, ofLegato: 6)
    #expect(run.rounds.compactMap(\.neighbours) == [six, six])
  }

  /// A device that was not asked to hide says so; one that ended in a round, too.
  @Test func withoutPreparation() throws {
    for (security, words) in [
      (nil, "without --secure-aggregation"), (try SecureAggregation(), "out of its turn"),
    ] {
      var answer = RequestAnswer(client: Self.clients[0], security: security)
      let server = SecureServer([(5, { try answer.content(for: $0).content })], [])
      let record = ValueRecord([.init("stage", .text("share_keys"))])
      let error = #expect(throws: FederatedError.self) {
        try server.ask(server.devices[0], .shareKeys, record)
      }
      #expect(error?.description.contains(words) == true)
    }
    for few in [-1, 0, 5, 1001] { #expect(throws: FederatedError.self) { try SecureAggregation(among: few) } }
  }
}
