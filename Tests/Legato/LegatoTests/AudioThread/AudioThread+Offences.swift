// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import RealtimeWatch

extension AudioThread {
  /// Every rule that was broken, and during which act.
  ///
  /// Whatever touches the heap, a lock or the kernel counts at once. A page fault may be the system's doing, which
  /// takes pages of code back, lets a stack grow, and shares pages while a process starts another; those of the program
  /// come back in every run, so that one run without them is enough.
  static func offences(of program: Program, runs: Int = 20) throws -> [String] {
    let thread = AudioThread(program)
    var offences: [String] = []
    acts: for act in program.layout.parameters.isEmpty ? [.nobody] : Act.allCases {
      for _ in 0..<runs {
        let counts = try thread.counts(act)
        if counts.offences != [] {
          offences += counts.offences.map { "\(act): \($0)" }
          continue acts
        }
        if counts.minorFaults == 0, counts.majorFaults == 0 { continue acts }
      }
      offences.append("\(act): page faults in each of \(runs) runs")
    }
    return offences
  }
}
