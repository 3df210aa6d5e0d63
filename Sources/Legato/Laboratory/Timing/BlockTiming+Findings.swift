// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension BlockTiming {
  /// How many blocks there were, what they took, and how much that is of the time that each has.
  package var findings: [Verification.Finding] {
    let worst = worst
    let place = worst.block == 0 ? "the first \(unit), whose caches were cold" : "\(unit) \(worst.block)"
    return [
      setting,
      time("median", "median", percentile(0.5)),
      time("99.9 %", "p999", percentile(0.999)),
      time("worst", "worst", worst.nanoseconds, ": \(place)\(lateness)", worstFigures),
      disturbance,
    ]
  }

  private var unit: String { isStream ? "block" : "step" }

  private var setting: Verification.Finding {
    var figures: [String: Verification.Figure] = [
      "blocks": .count(nanoseconds.count), "clockNanoseconds": .count(clockNanoseconds),
    ]
    if isStream { figures["blockFrames"] = .count(frames) }
    if let deadline { figures["deadlineNanoseconds"] = .number(deadline) }
    let length = isStream ? " of \(counted(frames, "frame"))" : ""
    let time = deadline.map { ", each with \(Verification.duration(nanoseconds: $0)) of time" } ?? ""
    let build = Self.isSlowed ? "; Legato was built for debugging, and is slow" : ""
    return Verification.Finding(
      .measured, "timed", .stated,
      "\(counted(nanoseconds.count, unit))\(length), one by one\(time)\(build)", figures)
  }

  /// The sentence on blocks that missed their deadline; empty where none did, or there is none.
  private var lateness: String {
    late.map { $0 == 0 ? "" : "; \(counted($0, unit)) too late" } ?? ""
  }

  private var worstFigures: [String: Verification.Figure] {
    var figures: [String: Verification.Figure] = ["worstBlock": .count(worst.block)]
    if let late { figures["lateBlocks"] = .count(late) }
    return figures
  }

  /// Context switches and page faults meanwhile: where they are many, the worst block tells of the machine.
  private var disturbance: Verification.Finding {
    let switches = counted(contextSwitches, "time")
    let faults = counted(pageFaults, "page fault")
    return Verification.Finding(
      .measured, "machine", .stated, "the thread lost its CPU \(switches), and met \(faults)",
      ["contextSwitches": .count(contextSwitches), "pageFaults": .count(pageFaults)])
  }

  private func time(
    _ name: String, _ key: String, _ nanoseconds: Int, _ note: String = "",
    _ more: [String: Verification.Figure] = [:]
  ) -> Verification.Finding {
    var figures = more
    figures["\(key)Nanoseconds"] = .count(nanoseconds)
    var sentence = Verification.duration(nanoseconds: Double(nanoseconds))
    if let deadline {
      let share = Double(nanoseconds) / deadline
      figures["\(key)ShareOfDeadline"] = .number(share)
      sentence += ", \(Verification.percent(share)) of its time"
    }
    return Verification.Finding(.measured, name, .stated, sentence + note, figures)
  }

  private static var isSlowed: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
