// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Ramps")
struct RampTests {
  static let changes = [
    Change(frame: 0, name: "gain", value: 0.25), Change(frame: 5, name: "gain", value: 1.7),
    Change(frame: 9, name: "gain", value: -0.3), Change(frame: 9, name: "echo", value: 0.5),
    Change(frame: 70, name: "gain", value: 2), Change(frame: 80, name: "gain", value: 0.1),
    Change(frame: 191, name: "echo", value: 0.125), Change(frame: 300, name: "gain", value: 0.9),
  ]

  @Test("Any split into blocks gives the same bits", arguments: [2, 3, 7, 16, 63, 64, 65, 128, 1000])
  func split(block: Int) throws {
    let input = signal(frames: 400)
    var whole = try Context(GainProgram.make())
    var parts = try Context(GainProgram.make())
    let expected = whole.render(input, block: 1, changes: Self.changes)
    #expect(bits(parts.render(input, block: block, changes: Self.changes)) == bits(expected))
    #expect(parts.position == 400)
  }

  @Test("A ramp is the law of elapsed frames and lands exactly on its target")
  func landing() throws {
    var context = try Context(GainProgram.make())
    let gains = context.gains(frames: 20, changes: [Change(frame: 4, name: "gain", value: 0.3)])
    let step = (Float(0.3) - 1) / 10
    let ramp = (1...9).map { Float(1).addingProduct(Float($0), step) }
    #expect(gains == [1, 1, 1, 1] + ramp + [Float](repeating: 0.3, count: 7))
  }

  @Test("A target set in the middle of a ramp is approached from the current value")
  func retarget() throws {
    var context = try Context(GainProgram.make())
    let gains = context.gains(
      frames: 20,
      changes: [Change(frame: 1, name: "gain", value: 2), Change(frame: 5, name: "gain", value: -1)])
    let current = Float(1).addingProduct(4, Float(1) / 10)
    let step = (-1 - current) / 10
    #expect(gains[4] == current)
    #expect(gains[5] == current.addingProduct(1, step))
    #expect(gains[13] == current.addingProduct(9, step))
    #expect(Array(gains[14...]) == [Float](repeating: -1, count: 6))
  }

  @Test("Setting the same target does not begin the ramp again")
  func sameTarget() throws {
    var once = try Context(GainProgram.make())
    var twice = try Context(GainProgram.make())
    let change = Change(frame: 2, name: "gain", value: 0)
    let again = Change(frame: 6, name: "gain", value: 0)
    #expect(twice.gains(frames: 16, changes: [change, again]) == once.gains(frames: 16, changes: [change]))
  }

  @Test("A value set before the first execute holds from frame 0")
  func beforeFirstExecute() throws {
    var context = try Context(GainProgram.make())
    #expect(
      context.gains(frames: 3, changes: [Change(frame: 0, name: "gain", value: 0.5)]) == [0.5, 0.5, 0.5])
  }

  @Test("A parameter without a ramp steps at the block in which it is set")
  func step() throws {
    var context = try Context(GainProgram.make())
    let ones = [[Float]](repeating: [1, 1, 1, 1], count: GainProgram.channels)
    let changes = [Change(frame: 2, name: "echo", value: 0.5), Change(frame: 3, name: "echo", value: 0.25)]
    #expect(context.render(ones, block: 4, changes: changes)[0] == [1, 1, 1.5, 1.25])
  }

  @Test("An empty block changes nothing, not even a parameter's way")
  func emptyBlock() throws {
    var plain = try Context(GainProgram.make())
    var empty = try Context(GainProgram.make())
    _ = plain.gains(frames: 3)
    _ = empty.gains(frames: 3)
    for value: Float in [2, 0.5] {
      plain.parameter(named: "gain")!.set(value)
      empty.parameter(named: "gain")!.set(value)
      _ = plain.gains(frames: 4)
      _ = empty.gains(frames: 4)
      // There and back again: only who looks in between sees a change.
      empty.parameter(named: "gain")!.set(-1)
      unsafe empty.execute(frames: 0, inputs: nil, outputs: nil)
      empty.parameter(named: "gain")!.set(value)
      #expect(empty.gains(frames: 8) == plain.gains(frames: 8))
    }
    #expect(empty.position == plain.position)
  }
}

extension Context {
  /// The gain of the gain program at each frame.
  mutating func gains(frames: Int, changes: [Change] = []) -> [Float] {
    let ones = [[Float]](repeating: [Float](repeating: 1, count: frames), count: GainProgram.channels)
    return render(ones, block: frames, changes: changes)[0]
  }
}
