// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealtimeWatch
import TestEquipment
import Testing

@testable import LegatoBench

@Suite("Benchmark: watching")
struct WatchTests {
  @Test("each rule bites in the self-test, and nothing where none is broken")
  func selfTest() throws {
    let folder = try TemporaryFolder()
    let run = try runBench(["--self-test"], in: folder)
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.output)")
    #expect(run.output.contains("an execute: nothing is found\n"))
    // Pages are the system's to move: there may be more than one fault.
    #expect(run.output.contains(/for the first time: found: \d+ page faults?\n/))
    var finds = ["heap allocation", "free", "lock"]
    if RealtimeWatch.seesSystemCalls { finds.append("system call") }
    for find in finds { #expect(run.output.contains("found: 1 \(find)"), "\(find)") }
  }

  @Test("a row that breaks a rule is named, with how often")
  func summary() throws {
    let instrument = try Instrument(Models.copy, frames: 16)
    let good = WatchedExecutes(instrument)
    #expect(good.offences.isEmpty && good.executes == 64)
    let places = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 16)
    // The heap itself may enter the kernel when it grows.
    let earlier = unsafe (0..<3).map { _ in unsafe malloc(8) }
    for index in 0..<3 { unsafe free(earlier[index]) }
    var count = 0
    let bad = WatchedExecutes(instrument) {
      for _ in 0..<3 {
        unsafe (places + count).initialize(to: malloc(8))
        count += 1
      }
    }
    for place in 0..<count { unsafe free(places[place]) }
    unsafe places.deallocate()
    #expect(bad.heapCalls == 3)
    #expect(WatchSummary([("a", good)]).offence == nil)
    let said = "b: 3 heap allocations in 64 executes, which an audio thread must not do"
    #expect(WatchSummary([("a", good), ("b", bad)]).offence == said)
    #expect(WatchSummary([("b", bad), ("c", bad)]).offence == said + "; so does another row")
    #expect(WatchSummary([("b", bad), ("c", bad), ("d", bad)]).offence == said + "; so do 2 other rows")
  }
}
