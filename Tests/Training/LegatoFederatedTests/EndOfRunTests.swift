// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@testable import LegatoFederated

/// A device that is there for some rounds of training ends behind them, and what belongs to them is answered.
@Suite(.serialized) struct EndOfRunTests: ServedDevice {
  /// Where others are slower, the judging of the last round comes late: the device is there as long as the server's run.
  @Test func lateJudging() throws {
    let double = FleetDouble(Self.key, runCalls: 9)
    defer { double.end() }
    double.send("train", Self.train)
    var isSent = false
    let run = run(try link(double)) { _ in
      if !isSent, double.calls.count(where: { $0 == "get-run" }) >= 5 {
        isSent = true
        double.send("evaluate", Self.train)
      }
      return false
    }
    #expect(run.error == nil && run.failures.isEmpty && run.losses.isEmpty)
    #expect(run.rounds.map(\.kind) == ["train", "evaluate"])
    #expect(double.calls.count { $0 == "get-run" } == 10 && double.calls.last == "deactivate-node")
  }

  /// One round more than the device is there for: the server need not wait for it.
  @Test func oneMore() throws {
    let double = FleetDouble(Self.key, runCalls: .max)
    defer { double.end() }
    for group in ["1", "2", "3"] {
      double.send("train", Self.train, group: group)
      double.send("evaluate", Self.train, group: group)
    }
    var link = try link(double)
    link.rounds = 2
    let run = run(link)
    #expect(run.error == nil && run.rounds.map(\.kind) == ["train", "evaluate", "train", "evaluate"])
    let words = "this device was there for rounds of training that are over (2), and leaves"
    #expect(run.failures == [words])
    guard case .error(let told)? = try double.answers.last?.content else {
      return #expect(Bool(false), "no answer")
    }
    #expect(told.reason == words && double.calls.last == "deactivate-node" && double.queued.count == 1)
  }

  /// A server that goes away behind the last round, or while a device answers what follows it, is waited for no longer than the
  /// device's patience.
  @Test(arguments: ["get-run", "push-messages"]) func noMoreServer(name: String) throws {
    let double = FleetDouble(Self.key, runCalls: .max) { path, turn in
      path == name && turn > 0 ? .closed : nil
    }
    defer { double.end() }
    double.send("train", Self.train)
    if name == "push-messages" { double.send("evaluate", Self.train) }
    var link = try link(double)
    link.patience = 1
    let run = run(link)
    #expect(run.error == nil && run.rounds.map(\.kind) == ["train"] && !run.losses.isEmpty)
    guard case .ended(let reason)? = run.events.last else { return #expect(Bool(false), "\(run)") }
    #expect(
      reason.hasPrefix(
        "all rounds are over, and the server has been away for 1 s: the run ends (\(double.address): "),
      "\(reason)")
  }

  /// Weights that were learned in the last round are delivered, however long the server is away.
  @Test func awayInTheLastRound() throws {
    let double = FleetDouble(Self.key) { path, _ in path == "push-messages" ? .closed : nil }
    defer { double.end() }
    double.send("train", Self.train)
    var link = try link(double)
    (link.patience, link.waits) = (0.3, true)
    let begin = ContinuousClock.now
    let run = run(link) { _ in ContinuousClock.now - begin > .seconds(2) }
    #expect(run.error == nil && run.rounds.isEmpty && run.losses.count > 2)
    #expect(!run.events.contains { if case .ended = $0 { true } else { false } })
  }

  /// A run that is over, or was stopped, before the answer has come: the next one is served.
  @Test(arguments: ["pull-object", "push-messages", "push-object"]) func stopped(name: String) throws {
    let double = FleetDouble(Self.key) { path, turn in
      path == name && turn == 0 ? .error(403, code: 2007) : nil
    }
    defer { double.end() }
    double.send("train", Self.train)
    double.send("train", Self.train, group: "next")
    let run = run(try link(double))
    #expect(run.error == nil && run.losses.isEmpty && run.rounds.count == 1)
    #expect(run.failures == ["the server answers \(name) with 403: 'no' (code 2007)"])
  }

  /// A server that says a message again and again is not asked without a pause.
  @Test func repeatedMessages() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.send("query", RecordDict())
    double.repeatRequest(double.queued[0])
    double.send("train", Self.train)
    var link = try link(double)
    link.idle = (1, 1)
    let begin = ContinuousClock.now
    let run = run(link)
    #expect(run.rounds.map(\.kind) == ["query", "train"])
    // A pause behind the first, and one behind its repetition.
    #expect(ContinuousClock.now - begin >= .milliseconds(1600))
  }
}
