// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Context")
struct ContextTests {
  @Test("Reset, then run, equals a fresh context with the same values")
  func reset() throws {
    let program = try GainProgram.make()
    let input = signal(frames: 50)
    var used = try Context(program)
    _ = used.render(
      input, block: 7,
      changes: [Change(frame: 14, name: "gain", value: -2), Change(frame: 45, name: "echo", value: 0.75)])
    used.parameter(named: "gain")!.set(0.3)
    used.parameter(named: "echo")!.set(0.25)
    used.reset()
    #expect(used.position == 0)

    var fresh = try Context(program)
    fresh.parameter(named: "gain")!.set(0.3)
    fresh.parameter(named: "echo")!.set(0.25)
    let change = [Change(frame: 20, name: "gain", value: 1)]
    #expect(
      bits(used.render(input, block: 16, changes: change))
        == bits(fresh.render(input, block: 16, changes: change)))
  }

  @Test("What follows a restored snapshot is what followed it before, in the middle of a ramp, too")
  func snapshot() throws {
    var context = try Context(GainProgram.make())
    let input = signal(frames: 60)
    func part(_ range: Range<Int>) -> [[Float]] { input.map { Array($0[range]) } }
    _ = context.render(part(0..<20), block: 7)
    context.parameter(named: "gain")!.set(-2)
    _ = context.render(part(20..<22), block: 7)

    let snapshot = context.snapshot()
    let expected = context.render(part(22..<60), block: 5)
    context.parameter(named: "gain")!.set(0.5)
    context.parameter(named: "echo")!.set(0.9)
    _ = context.render(part(0..<40), block: 5)
    context.restore(snapshot)
    #expect(context.position == 22 && context.parameter(named: "gain")?.value == -2)
    #expect(bits(context.render(part(22..<60), block: 5)) == bits(expected))
  }

  @Test("A value set after reset, before the next execute, holds from frame 0")
  func setAfterReset() throws {
    var context = try Context(GainProgram.make())
    let ones = [[Float]](repeating: [1, 1], count: GainProgram.channels)
    _ = context.execute(ones)
    context.reset()
    context.parameter(named: "gain")!.set(0.5)
    #expect(context.execute(ones)[0] == [0.5, 0.5])
  }

  @Test("Two contexts of one program do not touch")
  func twoContexts() throws {
    let program = try GainProgram.make()
    let input = signal(frames: 60)
    var alone = try Context(program)
    let expected = alone.render(input, block: 60)

    var first = try Context(program)
    var second = try Context(program)
    second.parameter(named: "gain")!.set(-1)
    second.parameter(named: "echo")!.set(1)
    var output: [[Float]] = [[], []]
    for frame in stride(from: 0, to: 60, by: 4) {
      let block = input.map { Array($0[frame..<frame + 4]) }
      let produced = first.execute(block)
      for row in output.indices { output[row] += produced[row] }
      _ = second.execute(block.map { $0.map { $0 * 3 } })
    }
    #expect(bits(output) == bits(expected))
    #expect(first.parameter(named: "gain")?.value == 1)
  }

  @Test("Names are found, and others are not")
  func lookup() throws {
    var layout = GainProgram.layout
    layout.inputs.append(.init(name: "side", shape: [3], rows: 3, rowLength: nil))
    let program = unsafe try Program(name: "two inputs", layout: layout, entry: { _, _, _, _, _ in })
    let context = try Context(program)
    #expect(context.inputIndex(named: "src") == 0)
    #expect(context.inputIndex(named: "side") == 1)
    #expect(context.inputIndex(named: "dst") == nil)
    #expect(context.inputRows(named: "side") == 2..<5)
    #expect(context.outputIndex(named: "dst") == 0)
    #expect(context.outputRows(named: "dst") == 0..<2)
    #expect(context.outputRows(named: "src") == nil)
    #expect(context.parameters.map(\.name) == ["gain", "echo"])
    #expect(context.parameter(named: "echo")?.range == GainProgram.echo)
    #expect(context.parameter(named: "Gain") == nil)
  }

  @Test("A context can be made here and run on another thread")
  func moved() async throws {
    let context = try Context(GainProgram.make())
    let task = Self.start(context)
    #expect(await task.value == [[1, 2], [3, 4]])
  }

  private static func start(_ context: consuming Context) -> Task<[[Float]], Never> {
    let box = ContextBox(context)
    return Task.detached { box.execute([[1, 2], [3, 4]]) }
  }

  @Test("The code's owner and the weights live as long as the program")
  func lifetime() throws {
    final class Owner: Sendable {}
    weak var owner: Owner?
    do {
      let code = Owner()
      owner = code
      let program = unsafe try Program(
        name: "owned", layout: GainProgram.layout, entry: { _, _, _, _, _ in }, owner: code)
      let context = try Context(program)
      #expect(context.position == 0)
      #expect(owner != nil)
    }
    #expect(owner == nil)
  }

  @Test("Native code gets the weights, aligned to 64 bytes")
  func weights() throws {
    let bytes = (0..<100).map { UInt8($0) }
    var layout = GainProgram.layout
    layout.inputs = []
    layout.outputs[0].rows = 1
    let program = unsafe try Program(
      name: "weights", layout: layout,
      entry: { _, outputs, _, weights, _ in
        let first = unsafe weights!.load(fromByteOffset: 99, as: UInt8.self)
        unsafe outputs![0]![0] = Int(bitPattern: weights).isMultiple(of: 64) ? Float(first) : -1
      }, weights: Weights(copying: bytes))
    var context = try Context(program)
    var output: [Float] = [0]
    var span = output.mutableSpan
    context.execute(frames: 1, output: &span)
    #expect(output == [99])
  }
}

/// Carries a context to another thread.
private final class ContextBox: Sendable {
  private nonisolated(unsafe) var context: Context

  init(_ context: consuming Context) { unsafe self.context = context }

  func execute(_ input: [[Float]]) -> [[Float]] { unsafe context.execute(input) }
}
