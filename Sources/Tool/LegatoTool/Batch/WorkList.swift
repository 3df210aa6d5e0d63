// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// What is left to do of a plan, in view of what stands in the outputs' places.
///
///     nothing there                          rendered
///     whole, of this run, after its input    left out
///     of this run, but before its input,     rendered, and replaced
///     or not all of it there
///     anything else                          refused, or replaced with --force
struct WorkList: Sendable {
  struct Task: Sendable {
    /// A position among the plan's items.
    let item: Int
    let replaces: Bool
  }

  /// Of each item of the plan.
  private var states = StateList()

  /// How many files that stand in outputs' places are compared with all inputs together.
  private static let mostIdentities = 1 << 18

  /// - Parameters:
  ///   - begun: when the run began that is gone on with, in nanoseconds since 1970; nil for none.
  ///   - resumes: whether the command line asks to go on.
  ///   - tail: what outputs have behind the end of their inputs.
  ///   - jobs: the most threads that look at items.
  ///   - part: how many items are looked at together.
  ///   - piece: how many of them a thread takes at a time.
  ///   - watch: is told now and then how many items were looked at.
  init(
    _ plan: BatchPlan, begun: Int?, resumes: Bool, replaces: Bool, tail: Tail, jobs: Int,
    part most: Int = 2048, piece: Int = 32, watch: (Int) -> Void
  ) throws(Failure) {
    let outputs = StandingOutputs(of: plan, begun: begun, tail: tail)
    var (foreign, others) = (nil as String?, 0)
    var identities: [FileIdentity] = []
    var items = plan.items.makeIterator()
    while states.count < plan.count {
      var part: [BatchPlan.Item] = []
      while part.count < most, let item = items.next() { part.append(item) }
      for (item, standing) in zip(part, outputs.standings(of: part, jobs: jobs, piece: piece)) {
        switch standing {
        case .none: states.append(.free)
        case .whole(let identity):
          identities.append(identity)
          states.append(.whole)
        case .own(let identity):
          identities.append(identity)
          states.append(.replaced)
        case .foreign(let identity):
          identities.append(identity)
          if !replaces {
            foreign = foreign ?? item.output
            others += 1
          }
          states.append(replaces ? .replaced : .free)
        }
      }
      if identities.count >= Self.mostIdentities {
        try Self.check(plan, against: &identities)
        identities.removeAll(keepingCapacity: true)
      }
      watch(states.count)
    }
    try Self.check(plan, against: &identities)
    if let foreign {
      let more = others > 1 ? ", and \(counted(others - 1, "other output")) too" : ""
      let hint =
        resumes
        ? begun == nil
          ? "; no record says what it was made with, so that --resume cannot go on; --force replaces"
          : "; it is older than the run; --force replaces"
        : "; --force replaces, --resume goes on with a run"
      throw .faults(["\(foreign): the file exists\(more)\(hint)"])
    }
  }

  /// How many tasks there are.
  var count: Int { states.count - states.wholeCount }

  subscript(task: Int) -> Task {
    let item = states.item(ofTask: task)
    return Task(item: item, replaces: states[item] == .replaced)
  }

  /// How many items are not rendered, as their outputs are whole.
  var wholeCount: Int { states.wholeCount }

  func isWhole(_ item: Int) -> Bool { states[item] == .whole }

  /// Throws where an input is what stands in an output's place.
  private static func check(_ plan: BatchPlan, against outputs: inout [FileIdentity]) throws(Failure) {
    guard !outputs.isEmpty else { return }
    outputs.sort()
    for item in plan.items {
      guard let input = try? PathStatus(path: item.input), outputs.holdsSorted(input.identity) else {
        continue
      }
      throw .usage("\(item.input) is an input and an output; use --suffix, or another --output-dir")
    }
  }
}

extension [FileIdentity] {
  /// Whether one is among these, which are in order.
  fileprivate func holdsSorted(_ identity: FileIdentity) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < identity { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == identity
  }
}
