// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The tasks of a plan, in view of what stands in the outputs' places.
///
///     nothing there                          rendered
///     whole, of this run, after its input    left out
///     of this run, but before its input,     rendered, and replaced
///     or not all of it there
///     anything else                          refused, or replaced where that is asked for
struct WorkList: Sendable {
  struct Task: Sendable {
    /// A position among the plan's items.
    let item: Int
    let replaces: Bool
  }

  /// How many items are not rendered, as their outputs are whole.
  let wholeCount: Int
  private let tasks: [Task]
  private let whole: [Bool]

  /// - Parameters:
  ///   - begun: when the run began that is gone on with, in nanoseconds since 1970; nil for none.
  ///   - part: how many items are looked at together.
  ///   - piece: how many of them a thread takes at a time.
  ///   - watch: is told now and then how many items were looked at.
  init(
    _ plan: BatchPlan, begun: Int?, part most: Int = 2048, piece: Int = 32, watch: (Int) -> Void
  ) throws(RenderingError) {
    let (options, resumes) = (plan.renderer.options, plan.batch.resumes)
    let outputs = StandingOutputs(of: plan, begun: begun, tail: options.tail)
    var (foreign, others) = (nil as String?, 0)
    var identities: Set<FileIdentity> = []
    var (tasks, whole) = ([Task](), [Bool]())
    var items = plan.items.makeIterator()
    while whole.count < plan.count {
      var part: [BatchPlan.Item] = []
      while part.count < most, let item = items.next() { part.append(item) }
      for (item, standing) in zip(part, outputs.standings(of: part, jobs: plan.batch.jobs, piece: piece)) {
        if let identity = standing.identity { identities.insert(identity) }
        if case .foreign = standing, !options.replacesExisting {
          foreign = foreign ?? item.output
          others += 1
        }
        if !standing.isWhole { tasks.append(Task(item: whole.count, replaces: standing.identity != nil)) }
        whole.append(standing.isWhole)
      }
      watch(whole.count)
    }
    (self.tasks, self.whole, wholeCount) = (tasks, whole, whole.count - tasks.count)
    try Self.check(plan, against: identities)
    if let foreign {
      let more = others > 1 ? ", and \(counted(others - 1, "other output")) too" : ""
      let hint: RequestError.Message =
        !resumes
        ? "\(.replacesExisting) replaces, \(.resumes) goes on with a run over these inputs"
        : begun == nil
          ? "no record says what it was made with, so that \(.resumes) cannot go on; \(.replacesExisting) replaces"
          : "it is older than the run; \(.replacesExisting) replaces"
      throw .standing(RequestError("\(foreign): the file exists\(more); \(hint)"))
    }
  }

  /// How many tasks there are.
  var count: Int { tasks.count }

  subscript(task: Int) -> Task { tasks[task] }

  /// Whether an item's output is whole, so that it is not rendered.
  func isWhole(_ item: Int) -> Bool { whole[item] }

  /// Throws where an input, or a file that the sound is made of, is what stands in an output's place.
  private static func check(
    _ plan: BatchPlan, against outputs: Set<FileIdentity>
  ) throws(RenderingError) {
    guard !outputs.isEmpty else { return }
    func check(_ path: String, is role: String) throws(RenderingError) {
      guard let status = try? FileStatus(path: path), outputs.contains(status.identity) else { return }
      throw .request(
        RequestError("\(path) is \(role) and an output; use \(.suffix), or another \(.folder)"))
    }
    for source in plan.renderer.sources { try check(source, is: "what the sound is made of") }
    for item in plan.items { try check(item.input, is: "an input") }
  }
}
