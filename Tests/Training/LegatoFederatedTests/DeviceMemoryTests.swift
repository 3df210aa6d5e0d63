// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

/// The memory of a device over messages, runs and its own end.
@Suite(.serialized) struct DeviceMemoryTests: ServedDevice {
  /// A message that comes twice is answered once; one for another device not at all.
  @Test func delivery() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("query", RecordDict())
    double.repeatRequest(double.queued[0])
    double.send("query", RecordDict([.init("config", .config(ValueRecord()))]), to: 78)
    double.send("train", Self.train)
    let run = run(try link(double))
    #expect(run.rounds.map(\.kind) == ["query", "train"])
    #expect(run.failures == ["the server's message is for another device"])
    #expect(try double.answers.filter { $0.metadata.kind == "query" }.count == 1)
  }

  /// The exposure counts over all runs of a key; a memory that is damaged knows nothing of it.
  @Test func exposure() throws {
    let folder = try TemporaryFolder()
    let memory = folder("key.node")
    var told: [Double] = []
    for noise in [2, 0.5, nil] as [Double?] {
      let double = FleetDouble(Self.key)
      defer { double.end() }
      double.send("train", Self.train)
      var events: [SuperLink.Event] = []
      var doubler = Doubler()
      doubler.noise = noise
      try link(double, memory: memory).run(doubler, report: { events.append($0) })
      told += DeviceRun(events: events).rounds.map(\.exposure)
      if noise == 0.5 { #expect(try NodeState(path: memory).exposure == 4.25) }
    }
    #expect(told == [0.25, 4.25, .infinity])
    // Only its owner may read it, whatever stood there before.
    let files = FileManager.default
    func mode() throws -> Int? { try files.attributesOfItem(atPath: memory)[.posixPermissions] as? Int }
    #expect(try mode() == 0o600)
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: memory)
    try NodeState(path: memory).save()
    #expect(try mode() == 0o600)
    #expect(try files.contentsOfDirectory(atPath: folder("")) == ["key.node"])
    // Cut short behind a field it reads well; so does nothing at all.
    let whole = try Data(contentsOf: URL(fileURLWithPath: memory))
    for damaged in [Data("nonsense".utf8), Data(), whole.dropLast(9)] {
      try damaged.write(to: URL(fileURLWithPath: memory))
      #expect(try NodeState(path: memory).exposure == .infinity)
      // Whoever runs with it is told so, each time.
      for _ in 0..<2 {
        let double = FleetDouble(Self.key)
        defer { double.end() }
        double.send("train", Self.train)
        let run = run(try link(double, memory: memory))
        guard case .forgotten(memory)? = run.events.first else { return #expect(Bool(false), "\(run)") }
        #expect(run.rounds.map(\.exposure) == [.infinity])
      }
    }
    #expect(try NodeState(path: folder("none.node")).exposure == 0)
    // A folder is there, and cannot be read: nothing is served by who does not know what was told.
    try folder.makeFolder("folder.node")
    let double = FleetDouble(Self.key)
    defer { double.end() }
    guard case .memory(let text)? = run(try link(double, memory: folder("folder.node"))).error else {
      return #expect(Bool(false), "it is taken")
    }
    #expect(text.hasPrefix("\(folder("folder.node")): is a folder, not a file"))
  }

  /// A request at which a device ended twice is left, so that the device comes back.
  @Test(arguments: [1, 2]) func endsAtARequest(times: UInt64) throws {
    let folder = try TemporaryFolder()
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("train", Self.train)
    let fleet = try FleetClient(double.address, key: Self.key, seconds: 5, mostBytes: 1 << 20)
    var state = try NodeState(path: folder("key.node"))
    state.node = try fleet.activate { false }
    (state.pulled, state.beginnings) = (try fleet.pull(state.node) { false }, times)
    try state.save()
    if times == 2 { double.send("train", Self.train, group: "next") }
    let run = run(try link(double, memory: folder("key.node")))
    #expect(run.rounds.count == 1)
    #expect(
      run.failures
        == (times == 1
          ? [] : ["the device has ended 2 times while it answered this request, and leaves it"]))
    #expect(try NodeState(path: folder("key.node")).beginnings == 0)
  }

  /// A device that was killed in a round has it in its memory, and answers it though the server sends it no more.
  @Test func afterItsEnd() throws {
    let folder = try TemporaryFolder()
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("train", Self.train)
    let (fleet, memory) = (
      try FleetClient(double.address, key: Self.key, seconds: 5, mostBytes: 1 << 20), folder("key.node")
    )
    var state = try NodeState(path: memory)
    state.node = try fleet.activate { false }
    state.pulled = try fleet.pull(state.node) { false }
    #expect(state.pulled != nil)
    try state.save()
    #expect(double.queued.isEmpty)
    let run = run(try link(double, memory: memory))
    #expect(run.rounds.map(\.kind) == ["train"])
    // It never says that it is not there, and is the one that it was by a sign of life.
    #expect(double.calls.dropFirst(2).first == "send-node-heartbeat")
    #expect(!double.calls.contains("register-node"))
    #expect(double.calls.count { $0 == "activate-node" } == 1)
    #expect(double.calls.firstIndex(of: "deactivate-node") == double.calls.count - 1)
    #expect(try NodeState(path: memory).pulled == nil && NodeState(path: memory).node == FleetDouble.node)
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: memory))
    #expect(try NodeState(path: memory).node == 0)
  }

  /// A device that was killed in the middle of its answer comes back with the same one, and the server takes the rest of it.
  @Test func afterItsEndInAnAnswer() throws {
    let folder = try TemporaryFolder()
    let memory = folder("key.node")
    let double = FleetDouble(Self.key) { path, turn in
      path == "push-object" && turn == 1 ? .closed : nil
    }
    defer { double.end() }
    double.send("train", Self.train)
    var asItWas: Data?
    let first = run(try link(double, memory: memory)) { events in
      guard !DeviceRun(events: events).losses.isEmpty else { return false }
      asItWas = asItWas ?? (try? Data(contentsOf: URL(fileURLWithPath: memory)))
      return true
    }
    #expect(first.rounds.isEmpty && first.failures.isEmpty)
    // Who is killed writes no last word.
    try #require(asItWas).write(to: URL(fileURLWithPath: memory))
    let second = run(try link(double, memory: memory))
    #expect(second.rounds.map(\.kind) == ["train"] && second.failures.isEmpty, "\(second)")
    let answers = try double.answers
    guard case .records(let records)? = answers.first?.content else { return #expect(Bool(false)) }
    #expect(answers.count == 1 && records.arrays("weights")?.items.count == 2)
    #expect(try NodeState(path: memory).answerTime == nil)
  }

  /// A server that does not know the device by its number gives it another one, and what was begun under the old one is
  /// nothing to it.
  @Test(arguments: ["unknown", "refused"]) func forgotten(kind: String) throws {
    let folder = try TemporaryFolder()
    let double = FleetDouble(Self.key) { path, turn in
      path == "send-node-heartbeat" && turn == 0 ? kind == "unknown" ? .body([]) : .status(401) : nil
    }
    defer { double.end() }
    var state = try NodeState(path: folder("key.node"))
    (state.node, state.beginnings) = (FleetDouble.node - 1, 2)
    try state.save()
    double.send("train", Self.train)
    let run = run(try link(double, memory: folder("key.node"))) { !DeviceRun(events: $0).failures.isEmpty }
    #expect(run.error == nil && run.failures.isEmpty && run.rounds.count == 1, "\(run)")
    #expect(double.calls.prefix(3) == ["send-node-heartbeat", "register-node", "activate-node"])
    #expect(try NodeState(path: folder("key.node")).node == FleetDouble.node)
  }

  /// A device that comes back when nobody waits for its answer any more says so, and counts no round.
  @Test(arguments: [true, false]) func tooLate(isOver: Bool) throws {
    let folder = try TemporaryFolder()
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let late = double.send("train", Self.train, lifetime: isOver ? 0 : 3600)
    let fleet = try FleetClient(double.address, key: Self.key, seconds: 5, mostBytes: 1 << 20)
    var state = try NodeState(path: folder("key.node"))
    state.node = try fleet.activate { false }
    state.pulled = try fleet.pull(state.node) { false }
    try state.save()
    double.withdraw(late)
    let next = double.send("train", Self.train, group: "next")
    let run = run(try link(double, memory: folder("key.node")))
    #expect(
      run.failures == [
        isOver
          ? "the time of the request that this device had begun to answer is over, and it leaves it"
          : "the server has not taken the answer: it has one, or waits for it no longer"
      ])
    #expect(run.error == nil && run.rounds.count == 1 && double.confirmed == [next])
    #expect(double.calls.count { $0 == "push-messages" } == (isOver ? 1 : 2))
  }

  /// A device whose memory can no longer be written leaves all the same.
  @Test func memoryIsGone() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("inner")
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("train", Self.train)
    let link = try link(double, memory: folder("inner/key.node"))
    let error = #expect(throws: FederatedError.self) {
      try link.run(
        Doubler(),
        report: { event in
          if case .connected = event { try? FileManager.default.removeItem(atPath: folder("inner")) }
        })
    }
    guard case .memory? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(double.calls.last == "deactivate-node")
  }
}
