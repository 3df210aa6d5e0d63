// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

/// Answers that a server does not take, or of which it does not store an object.
extension SuperLinkTests {
  /// An object that a server does not store, though it wants it again and again, is a failure.
  @Test(arguments: [2, 3]) func notStored(times: Int) throws {
    let double = FleetDouble(Self.key) { path, turn in
      path == "push-object" && turn < times ? .body([]) : nil
    }
    defer { double.end() }
    double.send("train", Self.train)
    double.send("train", Self.train, group: "next")
    var link = try link(double)
    link.rounds = times == 3 ? 1 : 2
    let run = run(link)
    #expect(run.failures == (times == 3 ? ["the server has not stored an object of the answer"] : []))
    #expect(run.error == nil && run.rounds.count == link.rounds)
  }

  /// The network goes away at the last object of an answer: whether the server has it, or has forgotten all of it since, it has
  /// the whole answer in the end.
  @Test(arguments: [false, true]) func lastObject(isForgotten: Bool) throws {
    let plain = FleetDouble(Self.key)
    defer { plain.end() }
    plain.send("train", Self.train)
    let answered = run(try link(plain))
    let count = plain.calls.count { $0 == "push-object" }
    #expect(answered.rounds.count == 1 && count > 1)
    let double = FleetDouble(Self.key) { path, turn in
      path == "push-object" && turn == count - 1 ? isForgotten ? .closed : .cutOff : nil
    }
    defer { double.end() }
    let name = double.send("train", Self.train)
    var isAway = false
    let run = run(try link(double)) { events in
      if isForgotten, !isAway, !DeviceRun(events: events).losses.isEmpty {
        isAway = true
        double.expire()
      }
      return false
    }
    #expect(run.error == nil && run.failures.isEmpty && run.losses.count == 1 && run.rounds.count == 1)
    #expect(isAway == isForgotten && double.confirmed == [name])
    #expect(try double.answers.map(\.content) == plain.answers.map(\.content))
    #expect(double.calls.count { $0 == "push-messages" } == 2)
    // One was sent twice; or one, which was lost, and one that was not wanted, and then all again.
    #expect(double.calls.count { $0 == "push-object" } == count + 1 + (isForgotten ? count : 0))
  }

  /// A request that is not served is told with its round, by a setting or the message's group, and with its run.
  @Test func roundOfWhatIsNotServed() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let settings = ValueRecord([.init("fail", .integer(1)), .init("server-round", .integer(6))])
    double.send("train", RecordDict(), group: "4")
    double.send(
      "train", RecordDict([.init("arrays", .arrays(Self.arrays)), .init("config", .config(settings))]))
    double.send("evaluate", RecordDict())
    double.send("train", Self.train)
    var told: [[String]] = []
    for case .failed(let kind, let round, let run, _) in run(try link(double)).events {
      told.append([kind, round.map { "\($0)" } ?? "", "\(run)"])
    }
    #expect(told == [["train", "4", "5"], ["train", "6", "5"], ["evaluate", "", "5"]])
  }

  /// A server that has begun anew does not know the device, which is told as that, and registers.
  @Test func begunAnew() throws {
    let double = FleetDouble(Self.key) { path, turn in
      path == "pull-messages" && turn == 0 || path == "send-node-heartbeat" ? .status(401) : nil
    }
    defer { double.end() }
    double.send("train", Self.train)
    let run = run(try link(double))
    #expect(
      run.losses == [
        "\(double.address): the server answers pull-messages with 401: 'no? luck'; it does not know this device "
          + "any more, as after a restart, and the device registers anew"
      ])
    #expect(run.error == nil && run.rounds.count == 1)
    #expect(double.calls.count { $0 == "register-node" } == 2)
  }

  /// The reason of an error stays known where the server does not take the answer that says it.
  @Test func reasonOfWhatIsNotTaken() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    double.withdraw(double.send("dance", RecordDict()))
    double.send("train", Self.train)
    let run = run(try link(double))
    #expect(run.error == nil && run.rounds.count == 1)
    #expect(
      run.failures == [
        "this device does not offer 'dance'; it offers train, evaluate, query, get_parameters and get_properties",
        "the server has not taken the answer: it has one, or waits for it no longer",
      ])
  }
}
