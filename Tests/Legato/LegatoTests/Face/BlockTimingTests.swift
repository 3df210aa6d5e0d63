// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@Suite struct BlockTimingTests {
  @Test func percentilesAreTimesThatWereSeen() {
    let timing = BlockTiming(frames: 64, nanoseconds: Array((1...1_000).reversed()))
    #expect(timing.percentile(0.5) == 500)
    #expect(timing.percentile(0.999) == 999)
    #expect(timing.percentile(1) == 1_000)
    #expect(BlockTiming(frames: 1, nanoseconds: [7]).percentile(0.5) == 7)
  }

  @Test func theWorstIsTheFirstOfTheLongest() {
    let worst = BlockTiming(frames: 64, nanoseconds: [3, 9, 2, 9]).worst
    #expect(worst.block == 1 && worst.nanoseconds == 9)
  }

  @Test func lateIsWhatTakesLongerThanItMay() {
    #expect(BlockTiming(frames: 64, nanoseconds: [99, 100, 101], deadline: 100).late == 1)
    #expect(BlockTiming(frames: 64, nanoseconds: [99, 100, 101]).late == nil)
  }

  private func sentences(_ timing: BlockTiming) -> [String] {
    timing.findings.map { "\($0.name): \($0.sentence)" }
  }

  @Test func findingsSayWhatWasSeen() {
    var timing = BlockTiming(
      frames: 128, nanoseconds: [4_130_000] + Array(repeating: 39, count: 998) + [61], deadline: 2_666_667)
    timing.contextSwitches = 1
    #expect(
      sentences(timing).dropFirst() == [
        "median: 39 ns, 0.0015 % of its time",
        "99.9 %: 61 ns, 0.0023 % of its time",
        "worst: 4.13 ms, 155 % of its time: the first block, whose caches were cold; 1 block too late",
        "machine: the thread lost its CPU 1 time, and met 0 page faults",
      ])
    #expect(
      sentences(timing)[0].hasPrefix(
        "timed: 1000 blocks of 128 frames, one by one, each with 2.67 ms of time"))
    #expect(timing.findings.allSatisfy { $0.kind == .measured && $0.outcome == .stated })
  }

  @Test func stepsAreNotDueUnlessSomeoneSaysSo() {
    var timing = BlockTiming(frames: 1, nanoseconds: [10, 2_500, 20])
    timing.isStream = false
    #expect(sentences(timing)[0].hasPrefix("timed: 3 steps, one by one"))
    #expect(sentences(timing)[1...3] == ["median: 20 ns", "99.9 %: 2.5 µs", "worst: 2.5 µs: step 1"])
    let keys = Set(timing.findings.flatMap(\.figures.keys))
    #expect(!keys.contains { $0.contains("eadline") || $0.contains("late") || $0.contains("Frames") })
  }

  @Test func asManyBlocksAreTimedAsAskedFor() throws {
    let verification = try VerificationTests.verification()
    let timing = try verification.timing(.exactly(250), frames: 32, rate: 48_000)
    #expect(timing.nanoseconds.count == 250 && timing.frames == 32)
    #expect(timing.deadline.map { abs($0 - 666_666.7) < 1 } == true)
    #expect(timing.nanoseconds.contains { $0 > 0 })
  }

  @Test func timeRunsOut() throws {
    let verification = try VerificationTests.verification()
    let timing = try verification.timing(.atMost(10_000, seconds: 0), frames: 32, rate: nil)
    #expect(timing.nanoseconds.count == 1 && timing.deadline == nil)
  }

  @Test func blocksThatNoMemoryHoldsAreRefused() throws {
    let verification = try VerificationTests.verification()
    #expect(throws: ModelError.self) {
      try verification.timing(.exactly(1), frames: 1 << 40, rate: nil)
    }
  }
}
