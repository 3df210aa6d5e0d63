// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Testing

@testable import LegatoTraining

/// How the rate changes behind a warm-up.
@Suite struct ScheduleTests {
  /// Of step s from 0, w steps of warm-up and n in all: (s + 1) / w, then, as with Transformers'
  /// `get_cosine_schedule_with_warmup`, (1 + cos(π (s - w) / (n - w))) / 2, or as PyTorch's schedules behind a `LinearLR` of a
  /// `SequentialLR`.
  @Test func aWarmupGoesBeforeAnyOther() {
    let (w, n) = (10, 110)
    let end = 0.1
    func way(_ s: Int) -> Double { min(1, Double(s - w) / Double(n - w)) }
    let all: [(Schedule?, (Int) -> Double)] = [
      (nil, { _ in 1 }), (.constant, { _ in 1 }),
      (.cosine(steps: n - w, to: end), { end + (1 - end) * (1 + cos(.pi * way($0))) / 2 }),
      (.linear(steps: n - w, to: end), { 1 - (1 - end) * way($0) }),
      (.steps(every: 30, factor: 0.5), { pow(0.5, Double(($0 - w) / 30)) }),
    ]
    for (next, wanted) in all {
      let schedule = Schedule.warmup(steps: w, then: next)
      for s in 0..<200 {
        let value = s < w ? Double(s + 1) / Double(w) : wanted(s)
        #expect(abs(schedule.factor(step: s + 1) - value) < 1e-12, "\(schedule) \(s)")
      }
    }
  }

  @Test func aModelFileSaysBoth() throws {
    func schedule(_ text: String) throws -> Schedule {
      let model = try Model(
        """
        { "legato": 1, "name": "G", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "g": [1] },
          "graph": { "dst": "src * 'g'" }, "outputs": ["dst"],
          "train": { "optimizer": { "adamW": { "schedule": \(text) } } } }
        """)
      return Optimizer(of: model).schedule
    }
    #expect(
      try schedule(#"{ "warmup": { "steps": 5 }, "cosine": { "steps": 9, "to": 0.5 } }"#)
        == .warmup(steps: 5, then: .cosine(steps: 9, to: 0.5)))
    #expect(
      try schedule(#"{ "steps": { "every": 3, "factor": 0.5 }, "warmup": { "steps": 5 } }"#)
        == .warmup(steps: 5, then: .steps(every: 3, factor: 0.5)))
    #expect(
      try schedule(#"{ "linear": { "steps": 3 }, "warmup": { "steps": 5 } }"#)
        == .warmup(steps: 5, then: .linear(steps: 3)))
    #expect(try schedule(#"{ "warmup": { "steps": 5 } }"#) == .warmup(steps: 5))
  }

  /// Artifacts keep it; those of before there was a second one are read.
  @Test func whatIsWrittenIsRead() throws {
    let both = Schedule.warmup(steps: 3, then: .cosine(steps: 5, to: 0.25))
    #expect(try JSONDecoder().decode(Schedule.self, from: JSONEncoder().encode(both)) == both)
    let old = Data(#"{ "warmup": { "steps": 4 } }"#.utf8)
    #expect(try JSONDecoder().decode(Schedule.self, from: old) == .warmup(steps: 4))
    for wrong in [Schedule.warmup(steps: 0), .warmup(steps: 2, then: .cosine(steps: 0))] {
      let optimizer = Optimizer(.sgd(), rate: 0.1, schedule: wrong)
      #expect(optimizer.flaw == "the schedule counts steps from 1 on, and shares from 0 on")
    }
    #expect(Optimizer(.sgd(), rate: 0.1, schedule: both).flaw == nil)
  }
}
