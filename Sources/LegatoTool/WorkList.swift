// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// What is left to do of a plan, in view of what stands in the outputs' places.
///
///     nothing there                          rendered
///     whole, of this run, after its input    left out
///     of this run, but before its input,     rendered, and replaced
///     or without a byte
///     anything else                          refused, or replaced with --force
struct WorkList {
  struct Task: Sendable {
    /// A position among the plan's items.
    let item: Int
    let replaces: Bool
  }

  private(set) var tasks: [Task] = []
  /// Items whose outputs are whole already.
  private(set) var whole: [Int] = []

  /// - Parameters:
  ///   - begun: when the run began that is gone on with, in nanoseconds since 1970; nil for none.
  ///   - resumes: whether the command line asks to go on.
  init(_ plan: BatchPlan, begun: Int?, resumes: Bool, replaces: Bool) throws(Failure) {
    var (foreign, others) = (nil as String?, 0)
    var identities: Set<FileIdentity> = []
    for (index, item) in plan.items.enumerated() {
      guard let output = try? PathStatus(path: item.output) else {
        tasks.append(Task(item: index, replaces: false))
        continue
      }
      identities.insert(output.identity)
      let isOwn = output.isFile && begun.map { output.changed >= $0 } ?? false
      // No whole file is empty: a machine that lost its power may leave a name without bytes.
      if isOwn, output.size > 0, let input = try? PathStatus(path: item.input),
        output.changed >= input.changed
      {
        whole.append(index)
      } else {
        if !isOwn, !replaces {
          foreign = foreign ?? item.output
          others += 1
        }
        tasks.append(Task(item: index, replaces: isOwn || replaces))
      }
    }
    if !identities.isEmpty {
      for item in plan.items {
        guard let input = try? PathStatus(path: item.input), identities.contains(input.identity) else {
          continue
        }
        throw .usage("\(item.input) is an input and an output; use --suffix, or another --output-dir")
      }
    }
    if let foreign {
      let more = others > 1 ? ", and \(counted(others - 1, "other output")) too" : ""
      let goingOn = resumes ? "" : ", --resume goes on with a run"
      throw .faults(["\(foreign): the file exists\(more); --force replaces\(goingOn)"])
    }
  }
}
