// SPDX-License-Identifier: Apache-2.0

/// The time of one execute, in nanoseconds.
struct CallFigure: Codable {
  var name: String
  /// Of a block; nil where an execute is a step.
  var frames: Int?
  /// Of batches of calls.
  var median: Double
  /// Of calls that were timed one by one.
  var p99: Double
  var p999: Double
  var maximum: Double
  /// How many those were, and how often the system took the processor away meanwhile.
  var calls: Int
  var interruptions: Int
  var nanosecondsPerFrame: Double?
  /// The median of calls that come after another program.
  var coldMedian: Double

  /// Of a whole step where there are no frames; nil where they were not counted.
  var instructionsPerFrame: Double?

  /// The thread's counts meanwhile.
  var watched: WatchedExecutes

  init(
    _ name: String, frames: Int?, batches: Samples, calls: SingleCalls, cold: Samples, instructions: Int?,
    watched: WatchedExecutes
  ) {
    self.name = name
    self.frames = frames
    median = batches.median
    (p99, p999, maximum) = (calls.samples.p99, calls.samples.p999, calls.samples.maximum)
    self.calls = calls.samples.nanoseconds.count
    interruptions = calls.interruptions
    nanosecondsPerFrame = frames.map { batches.median / Double($0) }
    coldMedian = cold.median
    self.watched = watched
    instructionsPerFrame = instructions.map { Double($0) / Double(frames ?? 1) }
  }
}
