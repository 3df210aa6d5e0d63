// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

/// Floats tell a delay of many frames not so exactly as a loop repeats what it reads there.
@Suite struct CoarseDelayTests {
  @Test func theCauseIsSaid() throws {
    let text = """
      { "legato": 1, "name": "Flanger", "sampleRate": 192000, "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": {
          "echo": "src + 0.9 * delay(echo, by: (2.5 + 2 * sine(0.3)) * sampleRate / 1000, minimum: 1, maximum: 1000)"
        },
        "outputs": ["echo"] }
      """
    let law = try Verification(Model(text).compilation()).findings().first { $0.name == "law 2: meaning" }
    #expect(law?.outcome == .broken)
    #expect(
      law?.sentence.hasSuffix(
        "; floats tell a delay of 500 frames to within 0.0001 of one only: compute whole frames and the rest "
          + "apart, as models/flanger.json does") == true)
  }
}
