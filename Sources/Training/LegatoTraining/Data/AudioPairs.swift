// SPDX-License-Identifier: Apache-2.0

/// Windows of pairs of sounds: what goes into a model, and what should come out of it.
///
///     src       ──────┼──────────────┼──────────────┼──────
///                 warmup   window 0       window 1
///     target    ──────┼──────────────┼──────────────┼──────     later by the model's latency
///
/// Frames before the beginning are silent.
public struct AudioPairs: Dataset {
  /// A pair of sounds: channels of frames.
  public struct Pair: Sendable {
    /// The sound that goes into the model, and the one that should come out of it.
    public let input, target: [[Float]]

    /// - Throws: `TrainingError.data` where they have other lengths, or none.
    public init(input: [[Float]], target: [[Float]]) throws(TrainingError) {
      guard let frames = input.first?.count, frames > 0, (input + target).allSatisfy({ $0.count == frames }),
        !target.isEmpty
      else {
        let counts = "\(input.first?.count ?? 0) and \(target.first?.count ?? 0)"
        throw .data("a sound and its target have the same length; these have \(counts) frames")
      }
      (self.input, self.target) = (input, target)
    }

    /// Reads two sound files of the same length.
    ///
    /// - Parameters:
    ///   - input: the path of what goes in.
    ///   - target: the path of what should come out.
    ///   - sampleRate: the one that both have to have.
    /// - Throws: `TrainingError.data` where a file is damaged, or does not go with the other.
    public init(input: String, target: String, sampleRate: Int) throws(TrainingError) {
      let first = try SoundReading.channels(of: input, sampleRate: sampleRate)
      let second = try SoundReading.channels(of: target, sampleRate: sampleRate, as: input)
      guard first[0].count == second[0].count else {
        throw .data(
          "\(input) has \(first[0].count) frames, and its target \(target) \(second[0].count): they have to be of one length"
        )
      }
      try self.init(input: first, target: second)
    }

    /// Reads two sound files of one channel and aligns them to less than a frame, as a capture does: what is left is one
    /// frame by which the target is late.
    ///
    /// - Throws: `TrainingError.data` where they cannot be aligned, or are at another rate.
    public init(aligning input: String, to target: String, sampleRate: Int) throws(TrainingError) {
      let pair = try CapturePair(input: input, target: target)
      guard pair.sampleRate == sampleRate else {
        throw .data(
          "\(input) is at \(pair.sampleRate) Hz, and the model, or the first sound, at \(sampleRate): resample it first"
        )
      }
      try self.init(input: [pair.dry], target: [pair.wet])
    }
  }

  private let pairs: [Pair]
  private let task: TrainingTask
  private let latency: Int
  private let names: (input: String, target: String)
  /// Windows of each pair before those of it.
  private let starts: [Int]
  public let count: Int
  /// The positions of pairs that are shorter than a window, of which nothing is an example.
  package let shortPairs: [Int]

  /// - Parameters:
  ///   - pairs: the sounds.
  ///   - task: says how long windows are.
  ///   - latency: the frames by which the model's output is late.
  ///   - names: those of the model's input and of the target.
  /// - Throws: `TrainingError.data` where no pair has a whole window.
  public init(
    _ pairs: [Pair], _ task: TrainingTask, latency: Int = 0,
    names: (input: String, target: String) = ("src", "target")
  ) throws(TrainingError) {
    try task.checkSizes()
    (self.pairs, self.task, self.latency, self.names) = (pairs, task, latency, names)
    var (starts, count) = ([Int](), 0)
    for pair in pairs {
      starts.append(count)
      count += pair.input[0].count / task.window
    }
    guard count > 0 else {
      let longest = pairs.map { $0.input[0].count }.max() ?? 0
      throw .data("a window has \(task.window) frames, and no sound is so long; the longest has \(longest)")
    }
    (self.starts, self.count) = (starts, count)
    shortPairs = pairs.indices.filter { pairs[$0].input[0].count < task.window }
  }

  public func item(_ index: Int) -> [String: [Float]] {
    let row = starts.lastIndex { $0 <= index }!
    let begin = (index - starts[row]) * task.window
    let end = begin + task.window
    return [
      names.input: SoundReading.frames(begin - task.warmup..<end, of: pairs[row].input),
      names.target: SoundReading.frames(begin - latency..<end - latency, of: pairs[row].target),
    ]
  }
}
