// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore
import Testing

@Suite("Floating-point mode")
struct FloatControlTests {
  /// Divides even frames by 3, which shows what becomes of denormal results and which way numbers are rounded, and
  /// odd frames by 1/1024, which shows whether a denormal that comes in counts.
  private static func makeProgram() throws -> Program {
    var layout = GainProgram.layout
    layout.inputs[0].rows = 1
    layout.outputs[0].rows = 1
    return unsafe try Program(
      name: "quotient", layout: layout,
      entry: { inputs, outputs, _, _, frames in
        for frame in 0..<frames {
          unsafe outputs![0]![frame] = inputs![0]![frame] / FloatControlTests.divisor(frame)
        }
      })
  }

  /// A divisor that the optimizer cannot see.
  @inline(never) @_optimize(none)
  private static func divisor(_ frame: Int) -> Float { frame % 2 == 0 ? 3 : 1 / 1024 }

  @Test("Denormals count as zero inside, in and out, and count again outside")
  func denormals() throws {
    var context = try Context(Self.makeProgram())
    let before = legato_read_float_control()
    // A normal number whose third is denormal; a denormal whose multiple is normal; a number that stays normal.
    let input: [Float] = [.leastNormalMagnitude, .leastNormalMagnitude / 2, 6 * .leastNormalMagnitude]
    #expect(context.execute([input]) == [[0, 0, 2 * .leastNormalMagnitude]])
    #expect(legato_read_float_control() & LEGATO_FLOAT_CONTROL_MASK == before & LEGATO_FLOAT_CONTROL_MASK)
    #expect(input[0] / Self.divisor(0) != 0)
    #expect(input[1] / Self.divisor(1) != 0)
  }

  #if arch(x86_64)
    @Test(
      "A host's own mode is kept, and does not reach the program",
      arguments: [0x9fc0, 0xffc0, 0x7f80, 0x1f80] as [UInt32])
    func hostsMode(word: UInt32) throws {
      var context = try Context(Self.makeProgram())
      let input: [[Float]] = [[1, .leastNonzeroMagnitude, 2, 0, -2]]
      let saved = legato_read_float_control()
      legato_write_float_control(word)
      let output = context.execute(input)
      let after = legato_read_float_control()
      legato_write_float_control(saved)
      let three = Self.divisor(0)
      #expect(output == [[1 / three, 0, 2 / three, 0, -2 / three]])
      #expect(after & LEGATO_FLOAT_CONTROL_MASK == word)
    }
  #endif
}
