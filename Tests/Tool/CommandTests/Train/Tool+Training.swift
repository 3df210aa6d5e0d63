// SPDX-License-Identifier: Apache-2.0

import Legato
import LegatoTraining
import TestEquipment

extension Tool {
  /// Models and data that `train` is tried with: `filter.json` with `dry.wav` and `wet.wav`, `line.json` with `x.npy` and `y.npy`.
  func makeTrainingFiles() throws {
    // One pole and a gain, as numbers that learn.
    try make(
      "filter.json",
      """
      { "legato": 1, "name": "Filter",  // a comment that stays
        "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "gain": [0.1], "pole": [0.1] },
        "graph": { "y": "'gain' * src + 'pole' * delay(y, 1)" }, "outputs": ["y"] }
      """)
    try make(
      "line.json",
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [2] } },
        "weights": { "w": [[0, 0]], "b": [0] }, "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
      """)
    var random = SplitMix(seed: 4)
    let dry = (0..<4000).map { _ in random.float(-0.9, 0.9) }
    var wet: [Float] = []
    for sample in dry { wet.append(0.25 * sample + 0.5 * (wet.last ?? 0)) }
    try Sound(samples: [dry]).write(path("dry.wav"))
    try Sound(samples: [wet]).write(path("wet.wav"))
    let x = (0..<40).map { _ in random.float(-1, 1) }
    let y = (0..<20).map { 2 * x[2 * $0] - x[2 * $0 + 1] }
    try Tensor(shape: [20, 2], values: x).write(to: path("x.npy"))
    try Tensor(shape: [20, 1], values: y).write(to: path("y.npy"))
  }

  /// A short training of the filter.
  static let filterTraining =
    "filter.json --data dry.wav:wet.wav --window 200 --warmup 50 --batch 4 --learning-rate 0.03"
}
