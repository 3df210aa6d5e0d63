// SPDX-License-Identifier: Apache-2.0

internal import RealtimeWatch

/// The counts of what all rows' executes did that an audio thread must not do, in a line.
struct WatchSummary {
  private let rows: [(row: String, executes: WatchedExecutes)]

  init(_ rows: [(row: String, executes: WatchedExecutes)]) { self.rows = rows }

  func describe(in table: Table) {
    guard !rows.isEmpty else { return }
    func sum(_ count: (WatchedExecutes) -> Int) -> Int { rows.reduce(0) { $0 + count($1.executes) } }
    let calls = RealtimeWatch.seesSystemCalls ? "\(sum { $0.systemCalls ?? 0 })" : "not counted here"
    table.note(
      """

      watched: \(sum(\.executes)) executes of \(rows.count == 1 ? "1 row" : "\(rows.count) rows"), in half of them all parameters moving
        heap calls \(sum(\.heapCalls)), frees \(sum(\.frees)), locks \(sum(\.locks)), system calls \(calls), \
      page faults \(sum { $0.minorFaults + $0.majorFaults }); all of them have to be 0
        context switches \(sum(\.contextSwitches)): the system's
      """)
  }

  /// The sentence about rows that break a rule; nil where none does.
  var offence: String? {
    let offenders = rows.filter { !$0.executes.offences.isEmpty }
    guard let first = offenders.first else { return nil }
    let others =
      switch offenders.count {
      case 1: ""
      case 2: "; so does another row"
      default: "; so do \(offenders.count - 1) other rows"
      }
    return
      "\(first.row): \(first.executes.offences.joined(separator: ", ")) in \(first.executes.executes) executes, "
      + "which an audio thread must not do\(others)"
  }
}
