// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import RealtimeCore
import Testing

/// A whole effect, from its text to its sound.
@Suite struct SmokeTests {
  @Test func bitcrusher() throws {
    let graph = try Graph(
      parsing: """
        graph "Bitcrusher" stream 48000
        input src [2, frames]
        parameter resolution [frames] = 8 minimum 1 maximum 256 ramp 960 scale linear
        parameter gain [frames] = 2 minimum 0.1 maximum 20 ramp 960 scale linear
        parameter dryWet [frames] = 1 minimum 0 maximum 1 ramp 960 scale linear
        saturated = tanh(src * gain)
        quantized = round(saturated * resolution) / resolution
        dst = quantized * dryWet + src * (1 - dryWet)
        output dst = dst
        """)
    let program = try Compilation(graph, CompilerOptions()).program()
    func sine(_ turn: Double) -> [Float] { (0..<1000).map { Float(sin(turn * Double($0))) } }
    let inputs = [sine(0.05), sine(0.1)]
    let playback = try Playback(Stimulus(inputs: inputs, frames: 1000), through: program)
    playback.finish()
    let out = playback.outputs
    for row in 0..<2 {
      for frame in 0..<1000 {
        let expected = (tanh(Double(inputs[row][frame]) * 2) * 8).rounded(.toNearestOrEven) / 8
        #expect(abs(Double(out[row][frame]) - expected) < 1e-5)
      }
    }
  }
}
