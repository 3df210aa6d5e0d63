// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LiveEngine

/// A fade is a function of the frame's position: what comes before keeps its bits, and what comes after is silent.
struct OutputFadeTests {
  /// Ones through a fade, cut into blocks.
  private func faded(_ count: Int, blocks: [Int], _ fade: OutputFade) -> [Float] {
    var samples = [Float](repeating: 1, count: count)
    unsafe samples.withUnsafeMutableBufferPointer { row in
      var (position, turn) = (0, 0)
      while position < count, let base = row.baseAddress {
        let frames = min(blocks[turn % blocks.count], count - position)
        unsafe fade.apply(to: base + position, count: frames, from: position)
        (position, turn) = (position + frames, turn + 1)
      }
    }
    return samples
  }

  @Test(arguments: [[1], [7, 64], [1000]]) func isExact(blocks: [Int]) {
    var fade = OutputFade(frames: 10)
    #expect(faded(1000, blocks: blocks, fade).allSatisfy { $0 == 1 })
    fade.begin(at: 500)
    #expect(fade.end == 510)
    let samples = faded(1000, blocks: blocks, fade)
    #expect(samples[..<500].allSatisfy { $0 == 1 } && samples[509...].allSatisfy { $0 == 0 })
    let steps: [Float] = (0..<10).map { Float(9 - $0) / 10 }
    #expect(Array(samples[500..<510]) == steps)
  }

  @Test func theEarliestCounts() {
    var fade = OutputFade(frames: 10)
    fade.end(at: 300)
    fade.begin(at: 400)
    #expect(fade.end == 300)
    fade.begin(at: 100)
    #expect(fade.end == 110)
    var short = OutputFade(frames: 10)
    short.end(at: 4)
    #expect(faded(20, blocks: [3], short)[9...].allSatisfy { $0 == 0 })
  }

  @Test func whatIsNoNumberStaysNone() {
    var fade = OutputFade(frames: 10)
    fade.begin(at: 0)
    var samples: [Float] = [.nan, .infinity]
    unsafe samples.withUnsafeMutableBufferPointer { row in
      if let base = row.baseAddress { unsafe fade.apply(to: base, count: 2, from: 0) }
    }
    #expect(samples.allSatisfy { !$0.isFinite })
  }
}
