// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Synchronization

/// The files that stand in the places of outputs, before a run.
///
///     part of a plan ─▶ thread: output? of this run? after its input? whole? ─▶ standings, in the plan's order
///                    ─▶ thread: …
struct StandingOutputs: Sendable {
  enum Standing: Sendable, Equatable {
    case none
    /// Of the run that is gone on with, younger than its input, and whole.
    case whole(FileIdentity)
    /// Of that run, but not as it should be.
    case own(FileIdentity)
    /// Not of that run.
    case foreign(FileIdentity)

    var identity: FileIdentity? {
      switch self {
      case .none: nil
      case .whole(let identity), .own(let identity), .foreign(let identity): identity
      }
    }

    var isWhole: Bool { if case .whole = self { true } else { false } }
  }

  private let begun: Int?
  private let tail: Tail
  /// The folders that exist: in others there are no files to look for.
  private let folders: Set<[UInt8]>

  init(of plan: BatchPlan, begun: Int?, tail: Tail) {
    self.begun = begun
    self.tail = tail
    folders = Set(plan.outputFolders.filter { (try? FileStatus(path: $0)) != nil }.map { Array($0.utf8) })
  }

  /// - Parameters:
  ///   - jobs: the most threads.
  ///   - piece: how many items a thread takes at a time.
  func standings(of items: [BatchPlan.Item], jobs: Int, piece: Int) -> [Standing] {
    guard !folders.isEmpty else { return items.map { _ in .none } }
    let pieces = (items.count + piece - 1) / piece
    let found = Mutex([[Standing]](repeating: [], count: pieces))
    Workers(threads: min(jobs, pieces)).run(count: pieces) {
    } work: { _, index in
      let standings = items[(index * piece)...].prefix(piece).map(standing)
      found.withLock { $0[index] = standings }
    } watch: {
    }
    return found.withLock { $0.flatMap(\.self) }
  }

  func standing(of item: BatchPlan.Item) -> Standing {
    guard folders.contains(Array(PathText.folder(of: item.output).utf8)),
      let output = try? FileStatus(path: item.output)
    else { return .none }
    guard output.isFile, let begun, output.changed >= begun else { return .foreign(output.identity) }
    // A machine that lost its power may leave a name without bytes. And files' clocks tick slowly: of two times that
    // are the same, either may be the later one.
    guard output.size > 0, let input = try? FileStatus(path: item.input), output.changed > input.placed,
      WholeOutput.isWhole(item, tail)
    else { return .own(output.identity) }
    return .whole(output.identity)
  }
}
