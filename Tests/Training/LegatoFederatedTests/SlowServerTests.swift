// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

/// A server that is slow, or says nothing: a device waits as long as it is patient, and no longer.
@Suite(.serialized) struct SlowServerTests: ServedDevice {
  @Test(arguments: ["silent", "slow", "promise"]) func slowServers(kind: String) throws {
    let double = FleetDouble(Self.key) { path, turn in
      guard path == "pull-messages", turn == 0 else { return nil }
      switch kind {
      case "silent": return .silent
      case "slow": return .slow
      default: return .promise(1 << 30)
      }
    }
    defer { double.end() }
    double.send("train", Self.train)
    var link = try link(double)
    link.patience = 1
    let run = run(link)
    #expect(run.error == nil && run.rounds.count == 1)
    #expect(
      run.losses.count == 1
        && run.losses[0].contains(kind == "promise" ? "more than" : "no answer within 1 s"))
  }

  /// A slow line may take as long as the bytes need, if that is longer than the device's patience.
  @Test func slowLine() throws {
    let double = FleetDouble(Self.key) { path, _ in path == "pull-object" ? .steady : nil }
    defer { double.end() }
    let words = ValueRecord([.init("words", .text(String(repeating: "long ", count: 60_000)))])
    double.send("train", RecordDict(Self.train.items + [.init("more", .config(words))]))
    var link = try link(double)
    link.patience = 2
    let run = run(link) { !DeviceRun(events: $0).losses.isEmpty }
    #expect(run.error == nil && run.losses.isEmpty && run.rounds.count == 1, "\(run)")
  }

  /// A server that is silent behind a large body is not waited for as long as the body might have taken.
  @Test func silentBehindALargeBody() throws {
    let double = FleetDouble(Self.key) { _, _ in .silent }
    defer { double.end() }
    let fleet = try FleetClient(double.address, key: Self.key, seconds: 0.5, mostBytes: 1 << 20)
    // So many bytes would earn 400 s.
    let content = [UInt8](repeating: 7, count: 4_000_000)
    let end = ContinuousClock.now + .seconds(100)
    let words = "\(double.address): no answer within 1 s, or less than 10 KB of it a second"
    #expect(throws: FederatedError.unreachable(words)) {
      try fleet.pushObject("object", content, session: "session", run: 5, FleetDouble.node) { .now > end }
    }
  }

  /// A device that comes back waits for the server's word that it knows it as long as for any other.
  @Test func slowToKnow() throws {
    let folder = try TemporaryFolder()
    let double = FleetDouble(Self.key) { path, _ in path == "send-node-heartbeat" ? .silent : nil }
    defer { double.end() }
    var state = try NodeState(path: folder("key.node"))
    state.node = FleetDouble.node
    try state.save()
    var link = try link(double, memory: folder("key.node"))
    link.patience = 5.1
    #expect(
      run(link).error
        == .unreachable("\(double.address): no answer within 6 s, or less than 10 KB of it a second"))
  }

  /// A patience without an end is one of a year.
  @Test(arguments: [Double.infinity, 1e300, .nan, -1]) func patience(seconds: Double) throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("train", Self.train)
    var link = try link(double)
    link.patience = seconds
    #expect(link.patience == (seconds > 0 ? 31_536_000 : 0))
    if seconds > 0 { #expect(run(link).rounds.count == 1) }
  }

  /// A silent server does not hold up whoever asks for the end.
  @Test func endWhileItWaits() throws {
    let double = FleetDouble(Self.key) { path, _ in path == "pull-messages" ? .silent : nil }
    defer { double.end() }
    var link = try link(double)
    link.patience = 60
    let begin = ContinuousClock.now
    let run = run(link) { _ in double.calls.contains("pull-messages") }
    #expect(run.error == nil && ContinuousClock.now - begin < .seconds(30))
    #expect(double.calls.last == "deactivate-node")
  }
}
