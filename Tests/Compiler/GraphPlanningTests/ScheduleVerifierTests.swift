// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// A schedule that is not legal for its kernel is found, whatever chose it.
@Suite struct ScheduleVerifierTests {
  private func plan(_ lines: String..., without switches: Set<String> = []) throws -> Plan {
    let graph = try Graph(parsing: (["graph \"x\" stream 48000"] + lines).joined(separator: "\n"))
    let pipeline = Pipeline(disabled: switches)
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let kernels = pipeline.lower(pipeline.run(graph).graph, for: target).kernels
    return try Plan(kernels, target: target, schedules: pipeline.schedules)
  }

  private func violations(_ schedule: Schedule, of index: Int, in plan: Plan) -> [String] {
    ScheduleVerifier.violations(
      in: Schedules.Code(variant: .settled, schedule: schedule), of: plan.kernelGraph.kernels[index],
      plan.kernelGraph, plan.kernelGraph.readersOfPlaces, for: plan.target, "kernel")
  }

  private func settled(_ plan: Plan) throws -> [Schedule] {
    try plan.schedules.steps.map { try #require($0.settled).schedule }
  }

  /// Two loops of one form that do not feed each other, without the pass that would make one of them.
  private func twoLoops() throws -> Plan {
    try plan(
      "input x [1, frames]", "y = fma(delay(y, 1), 0.5, x)", "z = fma(delay(z, 1), 0.25, x)",
      "output y = y", "output z = z", without: ["fusion", "loop-chaining"])
  }

  private func loops(in plan: Plan) throws -> [(index: Int, schedule: Schedule)] {
    try settled(plan).enumerated().compactMap { index, schedule in
      if case .loop = schedule { (index, schedule) } else { nil }
    }
  }

  @Test func aLoopIsNotAnotherOne() throws {
    let plan = try twoLoops()
    let loops = try loops(in: plan)
    try #require(loops.count == 2)
    for (index, schedule) in loops {
      #expect(violations(schedule, of: index, in: plan).isEmpty)
      let other = try #require(loops.first { $0.index != index })
      #expect(violations(other.schedule, of: index, in: plan) == ["kernel computes something else"])
    }
  }

  @Test func chainedLoopsAreNoOtherWavefront() throws {
    let text = { (sum: String) in
      """
      input x [1, frames]
      v = fma(delay(v, 1), 0.5, x)
      y = fma(delay(y, 1), 0.75, \(sum))
      output y = y
      """
    }
    let (plan, other) = (try plan(text("v * 0.5")), try plan(text("v + 0.5")))
    for (own, foreign) in [(plan, other), (other, plan)] {
      let index = try #require(
        try settled(own).firstIndex { if case .wavefront = $0 { true } else { false } })
      let schedule = try settled(own)[index]
      #expect(violations(schedule, of: index, in: own).isEmpty)
      let theirs = try settled(foreign).first { if case .wavefront = $0 { true } else { false } }
      #expect(!violations(try #require(theirs), of: index, in: own).isEmpty)
    }
  }

  @Test func whatFeedsBackDoesNotGoLoopByLoop() throws {
    let plan = try plan(
      "input x [2, frames]", "weights \"w\" [2, 2] = [0.1, 0.2, 0.3, 0.4]",
      "y = tanh(dense(delay(y, 1), \"w\", axis: 0) + x)", "output y = y")
    let index = try #require(
      try settled(plan).firstIndex { if case .columnByColumn = $0 { true } else { false } })
    let schedule = try settled(plan)[index]
    #expect(violations(schedule, of: index, in: plan).isEmpty)
    #expect(!violations(.loopByLoop(schedule.kernels), of: index, in: plan).isEmpty)
    #expect(!violations(.frameByFrame(schedule.kernels), of: index, in: plan).isEmpty)
  }

  @Test func aSpanIsNoLongerThanItsDelay() throws {
    let plan = try plan("input x [1, frames]", "y = tanh(x + delay(y, 40))", "output y = y")
    for (index, schedule) in try settled(plan).enumerated() {
      guard case .spans(let spans) = schedule else { continue }
      #expect(spans.frames == 32 && spans.width == 16)
      let long = SpanSchedule(frames: 48, width: 16, kernels: spans.kernels)
      #expect(
        violations(.spans(long), of: index, in: plan) == [
          "kernel has spans of 48 frames, of which 40 do not depend on each other"
        ])
    }
  }

  @Test func aCallersMemoryEndsWithItsLastFrame() throws {
    let plan = try plan("input x [1, frames]", "y = tanh(x)", "output y = y")
    guard case .map(let map, var stages) = try settled(plan)[0] else {
      return #expect(Bool(false), "a map is a map")
    }
    #expect(!stages.endsWhole)
    stages.endsWhole = true
    #expect(
      violations(.map(map, stages), of: 0, in: plan) == [
        "kernel goes beyond the end of what has no room there"
      ])
    stages = Stages(width: 32, vectors: 1)
    #expect(violations(.map(map, stages), of: 0, in: plan) == ["kernel has too wide vectors"])
  }

  @Test func withoutSchedulesACycleGoesFrameByFrame() throws {
    let plan = try plan(
      "input x [24, frames]", "y = fma(delay(y, 1), 0.5, x)", "output y = y",
      without: [Pipeline.scheduling])
    #expect(try settled(plan).contains { if case .frameByFrame = $0 { true } else { false } })
  }
}
