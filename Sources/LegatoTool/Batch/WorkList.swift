// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

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
  private static let mostIdentities = 1 << 17

  /// - Parameters:
  ///   - begun: when the run began that is gone on with, in nanoseconds since 1970; nil for none.
  ///   - resumes: whether the command line asks to go on.
  ///   - tail: what outputs have behind the end of their inputs.
  init(_ plan: BatchPlan, begun: Int?, resumes: Bool, replaces: Bool, tail: Tail) throws(Failure) {
    var (foreign, others) = (nil as String?, 0)
    var identities: [FileIdentity] = []
    // Where there is no folder, there are no files in it to ask for.
    let outputFolders = Set(
      plan.outputFolders.filter { (try? PathStatus(path: $0)) != nil }.map { Array($0.utf8) })
    for item in plan.items {
      guard !outputFolders.isEmpty, outputFolders.contains(Array(PathText.folder(of: item.output).utf8)),
        let output = try? PathStatus(path: item.output)
      else {
        states.append(.free)
        continue
      }
      identities.append(output.identity)
      if identities.count == Self.mostIdentities {
        try Self.check(plan, against: identities)
        identities.removeAll(keepingCapacity: true)
      }
      let isOwn = output.isFile && begun.map { output.changed >= $0 } ?? false
      // A machine that lost its power may leave a name without bytes. And files' clocks tick slowly: of two times that
      // are the same, either may be the later one.
      if isOwn, output.size > 0, let input = try? PathStatus(path: item.input),
        output.changed > input.placed, WholeOutput.isWhole(item, tail)
      {
        states.append(.whole)
      } else {
        if !isOwn, !replaces {
          foreign = foreign ?? item.output
          others += 1
        }
        states.append(isOwn || replaces ? .replaced : .free)
      }
    }
    try Self.check(plan, against: identities)
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
  private static func check(_ plan: BatchPlan, against outputs: [FileIdentity]) throws(Failure) {
    guard !outputs.isEmpty else { return }
    let outputs = outputs.sorted()
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
