// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The motion of parameters over frames: lines and curves through points, cut into the glides of contexts.
///
///     points   (0 s, 1)           (0.5 s, 0)              at 1000 Hz
///     moves    0: jump to 1       1: glide to 0 over 500, which is 0 at frame 500
///
/// Each line lands exactly on its point. What it takes to say where blocks are cut depends on absolute frames only. A
/// line that lasts longer than a glide, or a curve, is a glide after a glide: they are worked out when they are due, as
/// there may be millions in a line of years.
struct Automation: Sendable {
  struct Move: Hashable, Sendable {
    /// The first frame that it changes.
    var frame: Int
    /// The position among the program's parameters.
    var parameter: Int
    var value: Float
    /// Frames until it lands; 0 jumps.
    var frames: Int
  }

  /// The way to one point.
  struct Line: Hashable, Sendable {
    /// The first frame that it changes.
    var frame: Int
    /// The value where it sets out; a jump has no need of it.
    var start: Float
    var value: Float
    /// Frames until it lands; 0 jumps.
    var frames: Int
    var way = AutomationWay.linear
  }

  /// The lines of a parameter in the order of their frames. One ends before the next one begins, or where it jumps.
  struct Lane: Sendable {
    var parameter: Int
    var lines: [Line]
  }

  let lanes: [Lane]

  init(_ lanes: [Lane] = []) { self.lanes = lanes }

  /// - Parameter points: nil for no automation.
  init(_ points: AutomationPoints?, of layout: ProgramLayout, sampleRate: Double) {
    lanes = (points?.lanes ?? []).compactMap { parameter, points in
      guard let index = layout.parameters.firstIndex(where: { $0.name == parameter.name }) else { return nil }
      let places = points.map { point in
        (frame: Int((point.time * sampleRate).rounded()), value: point.value, way: point.way)
      }
      return Lane(parameter: index, lines: Self.lines(through: places))
    }
  }

  /// The lines through points. The first point holds from the beginning, unless it is a step: before that the parameter
  /// keeps its value.
  static func lines(through points: [(frame: Int, value: Float, way: AutomationWay)]) -> [Line] {
    var lines: [Line] = []
    var last: (frame: Int, value: Float)?
    for point in points {
      defer { last = (point.frame, point.value) }
      guard point.way != .step, let last, point.frame > last.frame else {
        let frame = last == nil && point.way != .step ? 0 : point.frame
        lines.append(Line(frame: frame, start: point.value, value: point.value, frames: 0))
        continue
      }
      guard point.value != last.value else { continue }
      lines.append(
        Line(
          frame: last.frame + 1, start: last.value, value: point.value, frames: point.frame - last.frame,
          way: point.way))
    }
    return lines
  }

  /// The glides and jumps that begin at a frame, before it is executed.
  func moves(at frame: Int) -> [Move] {
    lanes.flatMap { lane in
      let end = lane.end(frame)
      // Of those that begin before the frame, only the last one may still be under way.
      let begin = max(lane.end(frame - 1) - 1, 0)
      return lane.lines[min(begin, end)..<end].compactMap { $0.move(at: frame, lane.parameter) }
    }
  }

  /// Whether all lines have landed before a frame.
  func isOver(at frame: Int) -> Bool {
    lanes.allSatisfy { lane in lane.lines.last.map { $0.frame + $0.frames < frame } ?? true }
  }

  /// The number of frames that can be executed before the next glide or jump.
  func frames(from frame: Int, most: Int) -> Int {
    lanes.reduce(most) { most, lane in
      let end = lane.end(frame)
      var most = most
      if end < lane.lines.count { most = min(most, lane.lines[end].frame - frame) }
      if end > 0, let next = lane.lines[end - 1].moveFrame(after: frame) { most = min(most, next - frame) }
      return most
    }
  }
}

extension Automation.Lane {
  /// The first line that begins behind a frame.
  fileprivate func end(_ frame: Int) -> Int {
    lines.partitioningIndex(where: { $0.frame > frame })
  }
}

extension Automation.Line {
  /// The frames of each of its glides but the last.
  private var glide: Int {
    way.glide(from: start, to: value, frames: frames) ?? Context.longestGlide
  }

  /// The glide or jump that begins at a frame, if one does.
  fileprivate func move(at place: Int, _ parameter: Int) -> Automation.Move? {
    if frames == 0 {
      guard place == frame else { return nil }
      return Automation.Move(frame: place, parameter: parameter, value: value, frames: 0)
    }
    let (done, glide) = (place - frame, glide)
    guard (0..<frames).contains(done), done.isMultiple(of: glide) else { return nil }
    let length = min(frames - done, glide)
    let share = Double(done + length) / Double(frames)
    let target = done + length == frames ? value : way.value(from: start, to: value, at: share)
    return Automation.Move(frame: place, parameter: parameter, value: target, frames: length)
  }

  /// The frame at which the line's next glide begins, after a frame of the line; nil where none does.
  fileprivate func moveFrame(after place: Int) -> Int? {
    let glide = glide
    let done = ((place - frame) / glide + 1) * glide
    return done < frames ? frame + done : nil
  }
}
