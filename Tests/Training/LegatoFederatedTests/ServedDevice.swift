// SPDX-License-Identifier: Apache-2.0

import Legato

@testable import LegatoFederated

/// A run of a device at a server double.
struct DeviceRun {
  var events: [SuperLink.Event] = []
  var error: FederatedError?
  var failures: [String] {
    events.compactMap { event in if case .failed(_, _, _, let reason) = event { reason } else { nil } }
  }
  var losses: [String] {
    events.compactMap { event in if case .lost(let reason, _) = event { reason } else { nil } }
  }
  var rounds: [SuperLink.Round] {
    events.compactMap { event in if case .answered(let round) = event { round } else { nil } }
  }
}

private let deviceKey = try! SigningKey()

/// Suites that let a device serve a server double.
protocol ServedDevice {}

extension ServedDevice {
  static var key: SigningKey { deviceKey }

  func link(_ double: FleetDouble, memory: String? = nil) throws -> SuperLink {
    var link = try SuperLink(double.address, key: Self.key)
    link.idle = (0.001, 0.01)
    link.away = (0.001, 0.02)
    link.patience = 20
    link.memory = memory
    link.rounds = 1
    return link
  }

  static var arrays: ArrayRecord {
    ArrayRecord([
      .init("b", MessageArray(Tensor(4))), .init("a", MessageArray(Tensor([1, 2, 3]))),
    ])
  }

  static var train: RecordDict {
    RecordDict([
      .init("weights", .arrays(arrays)),
      .init("config", .config(ValueRecord([.init("server-round", .integer(3))]))),
    ])
  }

  /// Serves until the rounds are over, or an end comes.
  func run(_ link: SuperLink, until isOver: ([SuperLink.Event]) -> Bool = { _ in false }) -> DeviceRun {
    var run = DeviceRun()
    // A device that never ends fails its test, and does not hold up the others.
    let end = ContinuousClock.now + .seconds(120)
    do throws(FederatedError) {
      try link.run(
        Doubler(), isCancelled: { isOver(run.events) || .now > end }, report: { run.events.append($0) })
    } catch {
      run.error = error
    }
    return run
  }
}
