// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore
import Testing

@Suite("Floating-point mode")
struct FloatControlTests {
  /// Divides its input by 3, which shows how denormals count and which way numbers are rounded.
  private static func makeProgram() throws -> Program {
    var layout = GainProgram.layout
    layout.inputs[0].rows = 1
    layout.outputs[0].rows = 1
    return unsafe try Program(
      name: "third", layout: layout,
      entry: { inputs, outputs, _, _, frames in
        for frame in 0..<frames {
          unsafe outputs![0]![frame] = inputs![0]![frame] / FloatControlTests.three()
        }
      })
  }

  /// A divisor that the optimizer cannot see.
  @inline(never) @_optimize(none)
  private static func three() -> Float { 3 }

  @Test("Denormals count as zero inside, in and out, and count again outside")
  func denormals() throws {
    var context = try Context(Self.makeProgram())
    let before = legato_read_float_control()
    // A denormal in; a normal number whose third is denormal; a number that stays normal.
    let input: [Float] = [.leastNonzeroMagnitude, .leastNormalMagnitude, 6 * .leastNormalMagnitude]
    #expect(context.execute([input]) == [[0, 0, 2 * .leastNormalMagnitude]])
    #expect(legato_read_float_control() & LEGATO_FLOAT_CONTROL_MASK == before & LEGATO_FLOAT_CONTROL_MASK)
    #expect(input[1] / Self.three() != 0)
  }

  #if arch(x86_64)
    @Test(
      "A host's own mode is kept, and does not reach the program",
      arguments: [0x9fc0, 0x7f80, 0x1f80] as [UInt32])
    func hostsMode(word: UInt32) throws {
      var context = try Context(Self.makeProgram())
      let input: [[Float]] = [[1, 2, -2, .leastNonzeroMagnitude]]
      let saved = legato_read_float_control()
      legato_write_float_control(word)
      let output = context.execute(input)
      let after = legato_read_float_control()
      legato_write_float_control(saved)
      #expect(output == [[1 / Self.three(), 2 / Self.three(), -2 / Self.three(), 0]])
      #expect(after & LEGATO_FLOAT_CONTROL_MASK == word)
    }
  #endif
}
