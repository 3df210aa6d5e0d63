// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import RealtimeCore

/// Timings: they hold for this machine and this run.
extension Verification {
  /// How many blocks are timed.
  package enum TimedBlocks: Hashable, Sendable {
    case exactly(Int)
    /// A number of blocks, or as many as there is time for.
    case atMost(Int, seconds: Double)
  }

  /// Refuses blocks that take more memory than is reasonable.
  package static func checkMemory(ofBlocks frames: Int, _ layout: ProgramLayout) throws(ModelError) {
    let numbers = (layout.inputs + layout.outputs).rowUnits.reduce(0, +)
    let bytes = numbers.multipliedReportingOverflow(by: frames * MemoryLayout<Float>.stride)
    guard !bytes.overflow, bytes.partialValue <= Limits.workspaceBytes else {
      throw .code(
        "a block of \(frames) frames takes more than \(Limits.workspaceBytes) bytes; time smaller ones")
    }
  }

  /// Times blocks of the model's stimulus while parameters move.
  ///
  /// - Parameters:
  ///   - frames: Frames of a block; a step is executed by itself.
  ///   - rate: Frames, or steps, that have to be done in a second; nil where any time will do.
  /// - Throws: `ModelError.code` where a block takes more memory than is reasonable.
  package func timing(
    _ blocks: TimedBlocks, frames: Int, rate: Double?, progress: Progress = { _ in }
  ) throws(ModelError) -> BlockTiming {
    let frames = isStream ? frames : 1
    try Self.checkMemory(ofBlocks: frames, program.layout)
    let bench: BlockBench
    do throws(ContextError) { bench = try BlockBench(graph, program, frames: frames) } catch {
      throw .code(error.description)
    }
    let (most, limit) =
      switch blocks {
      case .exactly(let count): (count, Int.max)
      case .atMost(let count, let seconds): (count, Int(seconds * 1e9))
      }
    let overhead = BlockBench.clockOverhead()
    var times = [Int](repeating: 0, count: most)
    let (begin, before) = (BlockBench.now(), BlockBench.disturbances())
    var done = 0
    // Nothing is said between the blocks: it would be heard in the caches.
    progress("timing blocks")
    while done < most, done == 0 || BlockBench.now() - begin < limit {
      times[done] = max(0, bench.run(block: done) - overhead)
      done += 1
    }
    let after = BlockBench.disturbances()
    var timing = BlockTiming(
      frames: frames, nanoseconds: Array(times.prefix(done)), deadline: rate.map { Double(frames) / $0 * 1e9 }
    )
    timing.isStream = isStream
    timing.clockNanoseconds = overhead
    timing.contextSwitches = after.switches - before.switches
    timing.pageFaults = after.faults - before.faults
    return timing
  }
}
