// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@testable import LegatoFederated

/// What a device has of its server serves it again: objects of a message, and connections.
@Suite(.serialized) struct ReuseTests: ServedDevice {
  /// What the device has of the message before does not come again, and is learned from all the same.
  @Test func objectsOfTheMessageBefore() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let (arrays, others) = (
      Self.arrays, ArrayRecord([.init("a", MessageArray(Tensor([7, 8, 9]))), Self.arrays.items[0]])
    )
    for (kind, arrays) in [("evaluate", arrays), ("evaluate", others), ("train", others)] {
      double.send(
        kind, RecordDict([.init("weights", .arrays(arrays)), .init("config", .config(ValueRecord()))]))
    }
    let run = run(try link(double))
    #expect(run.error == nil && run.failures.isEmpty && run.rounds.count == 3)
    // Message, records, configuration, arrays, and two of each array; then without configuration and 'b'; then the message alone.
    #expect(double.calls.count { $0 == "pull-object" } == 8 + 5 + 1)
    #expect(
      run.rounds[0].received > run.rounds[1].received && run.rounds[1].received > run.rounds[2].received)
    guard case .records(let records)? = try double.answers.last?.content else {
      return #expect(Bool(false), "an error")
    }
    let learned = try #require(records.arrays("weights")).items.map { try $0.array.tensor(named: "").values }
    #expect(learned == [[14, 16, 18], [8]])
  }

  /// A configuration that comes again behind training is not asked for a second time.
  @Test func behindTraining() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let values = (0..<2000).map(Float.init)
    for (kind, shift) in [("train", 0), ("evaluate", 1)] as [(String, Float)] {
      let arrays = ArrayRecord([.init("a", MessageArray(Tensor(values.map { $0 + shift })))])
      double.send(
        kind, RecordDict([.init("weights", .arrays(arrays)), .init("config", .config(ValueRecord()))]))
    }
    double.send("train", Self.train)
    let run = run(try link(double)) { DeviceRun(events: $0).failures.count == 2 }
    #expect(run.failures.count == 2)
    // Message, records, configuration, arrays, and two of the array; then without configuration.
    #expect(double.calls.count { $0 == "pull-object" } == 6 + 5)
  }

  /// Requests go over one connection as long as the server lets it stand, and over others where it does not.
  @Test(arguments: [FleetDouble.Ending.none, .unsaid, .said]) func connections(ending: FleetDouble.Ending)
    throws
  {
    let double = FleetDouble(Self.key, ending: ending)
    defer { double.end() }
    double.send("evaluate", Self.train)
    double.send("train", Self.train)
    let run = run(try link(double))
    #expect(run.error == nil && run.failures.isEmpty && run.losses.isEmpty && run.rounds.count == 2)
    #expect(double.calls.count > 20 && double.badSignatures == 0)
    #expect(ending == .none ? double.connections == 1 : double.connections >= double.calls.count)
  }
}
