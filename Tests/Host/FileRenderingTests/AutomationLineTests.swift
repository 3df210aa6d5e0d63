// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealtimeCore
import TestEquipment
import Testing

@testable import FileRendering

/// Lines through points as glides of the engine: worked out when they are due, whatever the blocks.
@Suite("Automation: lines")
struct AutomationLineTests {
  private typealias Points = [(frame: Int, value: Float, way: AutomationWay)]

  /// All moves of a lane, one after the other, as its points say it.
  private func moves(_ points: Points, _ parameter: Int) -> [Automation.Move] {
    var moves: [Automation.Move] = []
    for (index, point) in points.enumerated() {
      let last = index > 0 ? points[index - 1] : point
      let length = point.frame - last.frame
      guard point.way != .step, length > 0 else {
        let frame = index == 0 && point.way != .step ? 0 : point.frame
        moves.append(.init(frame: frame, parameter: parameter, value: point.value, frames: 0))
        continue
      }
      guard point.value != last.value else { continue }
      for done in stride(from: 0, to: length, by: Context.longestGlide) {
        let frames = min(length - done, Context.longestGlide)
        let way = Double(done + frames) / Double(length)
        let value = Float(Double(last.value) + (Double(point.value) - Double(last.value)) * way)
        moves.append(
          .init(
            frame: last.frame + 1 + done, parameter: parameter,
            value: done + frames == length ? point.value : value, frames: frames))
      }
    }
    return moves
  }

  @Test("at each frame they are what the points say", arguments: UInt64(0)..<40)
  func agree(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var lanes: [Automation.Lane] = []
    var expected: [Automation.Move] = []
    for parameter in 0..<random.below(3) + 1 {
      var points: Points = []
      var frame = random.below(3)
      for _ in 0..<random.below(12) + 1 {
        points.append((frame, Float(random.below(3)), random.below(3) == 0 ? .step : .linear))
        let whole = Context.longestGlide * random.below(4)
        frame += random.pick([0, 1, 2, whole, whole + 1, whole + random.below(1000)])
      }
      lanes.append(.init(parameter: parameter, lines: Automation.lines(through: points)))
      expected += moves(points, parameter)
    }
    let automation = Automation(lanes)
    let frames = Set(expected.flatMap { [max($0.frame - 1, 0), $0.frame, $0.frame + 1, $0.frame + 500] })
    for frame in frames {
      #expect(automation.moves(at: frame) == expected.filter { $0.frame == frame }, "frame \(frame)")
      let next = expected.map(\.frame).filter { $0 > frame }.min() ?? .max
      for most in [1, 64, 1 << 40] {
        #expect(automation.frames(from: frame, most: most) == min(most, next - frame), "frame \(frame)")
      }
    }
  }

  @Test("a line of 1e9 seconds is kept as one, and lands on its point")
  func years() throws {
    let end = 1_000_000_000 * 768_000
    let lines = Automation.lines(through: [(0, 0, .linear), (end, 1, .linear)])
    #expect(lines.count == 2)
    let automation = Automation([.init(parameter: 0, lines: lines)])
    let glide = Context.longestGlide
    #expect(automation.moves(at: 1).map(\.frames) == [glide])
    #expect(automation.frames(from: 1, most: .max) == glide)
    #expect(automation.frames(from: glide, most: 4096) == 1)
    let last = (end - 1) / glide * glide + 1
    #expect(
      automation.moves(at: last) == [.init(frame: last, parameter: 0, value: 1, frames: end - last + 1)])
    #expect(automation.frames(from: last, most: .max) == .max)
  }

  @Test(
    "so is a curve that is nearly flat: of glides as long as there may be",
    arguments: [AutomationWay.exponential, .smooth(isExponential: true)])
  func flat(way: AutomationWay) {
    let (start, end) = (Float(1000), 1_000_000_000 * 768_000)
    let lines = Automation.lines(through: [(0, start, .linear), (end, start.nextUp, way)])
    let automation = Automation([.init(parameter: 0, lines: lines)])
    #expect(automation.moves(at: 1).map(\.frames) == [Context.longestGlide])
    #expect(automation.frames(from: 1, most: .max) == Context.longestGlide)
    let last = (end - 1) / Context.longestGlide * Context.longestGlide + 1
    #expect(automation.moves(at: last).map(\.value) == [start.nextUp])
  }

  @Test(
    "a curve is a chain of glides that land on it, and lies within a millionth of it in between",
    arguments: [AutomationWay.exponential, .smooth(isExponential: false), .smooth(isExponential: true)],
    [1, 7, 600, 48_000, 10_000_000])
  func curves(way: AutomationWay, frames: Int) throws {
    let (start, end): (Float, Float) = (200, 8000)
    let lines = Automation.lines(through: [(100, start, .linear), (100 + frames, end, way)])
    let automation = Automation([.init(parameter: 0, lines: lines)])
    var (frame, value) = (101, Double(start))
    while frame <= 100 + frames {
      let move = try #require(automation.moves(at: frame).first)
      let landing = frame + move.frames - 1
      for at in Set([frame, (frame + landing) / 2, landing]) {
        let share = Double(at - 100) / Double(frames)
        let eased = share * share * (3 - 2 * share)
        let exact =
          switch way {
          case .exponential: 200 * pow(40, share)
          case .smooth(false): 200 + 7800 * eased
          case .smooth(true), .step, .linear: 200 * pow(40, eased)
          }
        let found = value + (Double(move.value) - value) * Double(at - frame + 1) / Double(move.frames)
        #expect(abs(found - exact) <= 1.2e-6 * (way == .smooth(isExponential: false) ? 7800 : exact) + 5e-4)
      }
      value = Double(move.value)
      frame = landing + 1
    }
    #expect(frame == 101 + frames && value == Double(end))
  }

  @Test("no factor leads to 0, or through it")
  func zero() {
    #expect(
      !AutomationWay.exponential.leads(from: 0, to: 1) && !AutomationWay.exponential.leads(from: -1, to: 1))
    #expect(!AutomationWay.smooth(isExponential: true).leads(from: 1, to: 0))
    #expect(AutomationWay.exponential.leads(from: -2, to: -1) && AutomationWay.linear.leads(from: -1, to: 0))
  }
}
