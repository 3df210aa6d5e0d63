// SPDX-License-Identifier: Apache-2.0

internal import Legato

/// What happens to parameters at which frames: lines through points, as the engine goes along them.
///
///     points   (0 s, 1)           (0.5 s, 0)              at 1000 Hz
///     moves    0: jump to 1       1: glide to 0 over 500, which is 0 at frame 500
///
/// Each line lands exactly on its point. What it takes to say where blocks are cut depends on absolute frames only.
struct Automation: Sendable {
  struct Move: Hashable, Sendable {
    /// The first frame that it is heard in.
    var frame: Int
    /// The position among the program's parameters.
    var parameter: Int
    var value: Float
    /// Frames until it lands; 0 jumps.
    var frames: Int
  }

  /// By their frames.
  let moves: [Move]

  /// Nothing happens.
  init() { moves = [] }

  /// - Parameter file: nil where nothing happens.
  init(_ file: AutomationFile?, of layout: ProgramLayout, sampleRate: Double) {
    var moves: [Move] = []
    for (parameter, points) in file?.lanes ?? [] {
      guard let index = layout.parameters.firstIndex(where: { $0.name == parameter.name }) else { continue }
      let places = points.map { point in
        (frame: Int((point.time * sampleRate).rounded()), value: point.value, isStep: point.isStep)
      }
      moves += Self.moves(through: places, of: index)
    }
    // Of one frame, those that stand behind others are done behind them.
    self.moves = moves.enumerated().sorted {
      ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset)
    }.map(\.element)
  }

  /// The first point holds from the beginning, unless it is a step: then the parameter is until there what it is.
  static func moves(
    through points: [(frame: Int, value: Float, isStep: Bool)], of parameter: Int
  ) -> [Move] {
    var moves: [Move] = []
    var last: (frame: Int, value: Float)?
    for point in points {
      defer { last = (point.frame, point.value) }
      guard !point.isStep, let last, point.frame > last.frame else {
        let frame = last == nil && !point.isStep ? 0 : point.frame
        moves.append(Move(frame: frame, parameter: parameter, value: point.value, frames: 0))
        continue
      }
      guard point.value != last.value else { continue }
      let length = point.frame - last.frame
      var done = 0
      while done < length {
        let frames = min(length - done, Context.longestGlide)
        let way = Double(done + frames) / Double(length)
        let value =
          done + frames == length
          ? point.value : Float(Double(last.value) + (Double(point.value) - Double(last.value)) * way)
        moves.append(
          Move(frame: last.frame + done + 1, parameter: parameter, value: value, frames: frames))
        done += frames
      }
    }
    return moves
  }

  /// What happens before a frame is executed.
  func moves(at frame: Int) -> ArraySlice<Move> {
    let first = firstIndex(from: frame)
    let end = moves[first...].firstIndex { $0.frame > frame } ?? moves.count
    return moves[first..<end]
  }

  /// How many of some frames can be executed before something happens again.
  func frames(from frame: Int, most: Int) -> Int {
    let next = firstIndex(from: frame + 1)
    return next < moves.count ? min(most, moves[next].frame - frame) : most
  }

  /// The first move at a frame, or behind it.
  private func firstIndex(from frame: Int) -> Int {
    var (low, high) = (0, moves.count)
    while low < high {
      let middle = (low + high) / 2
      if moves[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
