// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import TestEquipment
import Testing

@Suite("Ways to hand over samples")
struct DoorTests {
  static let input: [[Float]] = [[1, 2, 3], [4, 5, 6]]

  private func halving() throws -> Context {
    let context = try Context(GainProgram.make())
    context.parameter(named: "gain")!.set(0.5)
    return context
  }

  @Test("Rows a constant distance apart")
  func strided() throws {
    var context = try halving()
    let source: [Float] = [1, 2, 3, -1, -1, 4, 5, 6]
    var output = [Float](repeating: -9, count: 7)
    unsafe source.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var inputs = unsafe InputRows(base: source.baseAddress!, stride: 5)
        var outputs = unsafe OutputRows(base: output.baseAddress!, stride: 4)
        unsafe context.execute(frames: 3, stridedInputs: &inputs, stridedOutputs: &outputs)
      }
    }
    #expect(output == [0.5, 1, 1.5, -9, 2, 2.5, 3])
  }

  @Test("Rows in a span")
  func spans() throws {
    var context = try halving()
    let input = Self.input.flatMap { $0 }
    var output = [Float](repeating: -9, count: 6)
    var span = output.mutableSpan
    context.execute(frames: 3, input: input.span, output: &span)
    #expect(output == [0.5, 1, 1.5, 2, 2.5, 3])
  }

  @Test("Rows in a span, in place, give the same bits")
  func inPlace() throws {
    var context = try halving()
    context.parameter(named: "echo")!.set(0.25)
    var reference = try halving()
    reference.parameter(named: "echo")!.set(0.25)
    let expected = reference.execute(Self.input)
    var samples = Self.input.flatMap { $0 }
    var span = samples.mutableSpan
    context.execute(frames: 3, inPlace: &span)
    #expect(bits([samples]) == bits([expected.flatMap { $0 }]))
  }

  @Test("A step program executes a row of its own length, and counts steps")
  func step() throws {
    var layout = GainProgram.layout
    layout.inputs = [.init(name: "x", shape: [4], rows: 1, rowLength: 4)]
    layout.outputs = [.init(name: "sum", shape: [1], rows: 1, rowLength: 1)]
    layout.executesStream = false
    let program = unsafe try Program(
      name: "sum", layout: layout,
      entry: { inputs, outputs, _, _, frames in
        let x = unsafe inputs![0]!
        unsafe outputs![0]![0] = Float(frames) * (x[0] + x[1] + x[2] + x[3])
      })
    var context = try Context(program)
    let input: [Float] = [1, 2, 3, 4]
    var output: [Float] = [0]
    var span = output.mutableSpan
    context.execute(frames: 1, input: input.span, output: &span)
    #expect(output == [10])
    var sum: Float = 0
    unsafe input.withUnsafeBufferPointer { input in
      unsafe withUnsafeMutablePointer(to: &sum) { sum in
        unsafe context.execute(inputs: [input.baseAddress], outputs: [sum])
      }
    }
    #expect(sum == 10)
    #expect(context.position == 2)
  }

  @Test("Spans that do not fit trap", .endsProcesses)
  func misfit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var context = try Context(GainProgram.make())
      var samples = [Float](repeating: 0, count: 5)
      var span = samples.mutableSpan
      context.execute(frames: 3, inPlace: &span)
    }
    #if DEBUG
      #expect(result?.says("a span does not fit") == true)
    #else
      // Release builds trap without a word.
      #expect(result != nil)
    #endif
  }
}
