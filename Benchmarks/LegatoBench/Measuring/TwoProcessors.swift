// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels

/// Two loops that need no memory, on two processors of this machine: the time for both, one after the other and at once.
struct TwoProcessors {
  private var (inTurn, atOnce) = ([Double](), [Double]())

  /// Measures once more, where the thread may run on two processors.
  mutating func measure() throws {
    var loops = hand_loop_times()
    let error = unsafe hand_run_loops(&loops)
    guard error == 0 else {
      throw BenchError("two threads do not start: \(unsafe String(cString: strerror(error)))")
    }
    inTurn.append(loops.in_turn)
    atOnce.append(loops.at_once)
  }

  func show(in table: Table) {
    table.section("what this machine's processors give two loops without memory, the time for both")
    let samples = Samples(atOnce)
    table.add(
      Figure("two loops at once", samples, unit: .milliseconds)
        .compared(to: Samples(inTurn), of: samples, "one after the other"))
  }

  /// Whether two loops at once are 1.9 times as fast: two threads of one core are not.
  var areTwo: Bool { Samples(atOnce).ratio(to: Samples(inTurn)) <= 1 / 1.9 }
}
