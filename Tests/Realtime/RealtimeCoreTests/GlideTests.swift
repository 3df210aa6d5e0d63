// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Glides")
struct GlideTests {
  /// The gains of 40 frames, with a glide before some of them, in blocks of a size.
  private func gains(
    _ glides: [(frame: Int, value: Float, frames: Int)], block: Int = 40
  ) throws -> [Float] {
    var context = try Context(GainProgram.make())
    let gain = try #require(context.parameters.firstIndex { $0.name == "gain" })
    var found: [Float] = []
    while found.count < 40 {
      for glide in glides where glide.frame == found.count {
        context.glide(gain, to: glide.value, over: glide.frames)
      }
      let next = glides.map(\.frame).filter { $0 > found.count }.min() ?? 40
      let count = min(block, next - found.count)
      found += context.gains(frames: count)
    }
    return found
  }

  @Test(
    "A glide is the law of elapsed frames and lands exactly, whatever the block", arguments: [1, 3, 7, 40])
  func line(block: Int) throws {
    let step = (Float(0.3) - 1) / 16
    let line = (1...15).map { Float(1).addingProduct(Float($0), step) }
    let expected = [Float](repeating: 1, count: 5) + line + [Float](repeating: 0.3, count: 20)
    #expect(try gains([(5, 0.3, 16)], block: block) == expected)
  }

  @Test("Over 0 frames it jumps, in the middle of another glide, too")
  func jump() throws {
    let found = try gains([(5, 0.5, 20), (9, 2, 0), (12, 0.25, 0)])
    #expect(found[9...11] == [2, 2, 2] && found[12...] == ArraySlice([Float](repeating: 0.25, count: 28)))
  }

  @Test("Before the first frame it begins at frame 0")
  func beginning() throws {
    let found = try gains([(0, 0, 4)])
    #expect(found[..<6] == [0.75, 0.5, 0.25, 0, 0, 0])
    #expect(try gains([(0, 2, 0)]) == [Float](repeating: 2, count: 40))
  }

  @Test("Lines that meet are one line after the other")
  func corners() throws {
    let found = try gains([(1, 2, 8), (9, 0, 4), (13, 1, 2)])
    #expect(found[8] == 2 && found[12] == 0 && found[14] == 1 && found[20] == 1)
    #expect(found[9...12] == [1.5, 1, 0.5, 0])
  }

  @Test("Values are clamped, what is not a number is ignored, and the handle tells where it goes")
  func clamping() throws {
    var context = try Context(GainProgram.make())
    let gain = try #require(context.parameters.firstIndex { $0.name == "gain" })
    let range = context.parameters[gain].range
    context.glide(gain, to: 1000, over: 0)
    #expect(context.gains(frames: 2) == [range.maximum, range.maximum])
    #expect(context.parameters[gain].value == range.maximum)
    context.glide(gain, to: .nan, over: 3)
    #expect(context.gains(frames: 2) == [range.maximum, range.maximum])
  }

  @Test("A value that is set afterwards goes on from where the glide is")
  func settingAfterwards() throws {
    var context = try Context(GainProgram.make())
    let gain = try #require(context.parameters.firstIndex { $0.name == "gain" })
    _ = context.gains(frames: 1)
    context.glide(gain, to: 2, over: 8)
    _ = context.gains(frames: 4)
    context.parameters[gain].set(0.5)
    let found = context.gains(frames: 12)
    #expect(found[0] == Float(1.5).addingProduct(1, -Float(1) / 10) && found[9] == 0.5 && found[11] == 0.5)
  }
}
