// SPDX-License-Identifier: Apache-2.0

import Legato

/// Small models that tests render with.
enum SmallModel {
  /// Doubles any number of channels.
  static let double = model(#""y": "2 * x""#)

  /// Multiplies by a parameter from 0 to 4, at first 1.
  static let gain = model(#""y": "x * gain""#)

  /// An echo a quarter as loud after 100 frames, and so on.
  static let echo = model(#""wet": "x + 0.25 * delay(wet, 100)", "y": "wet""#)

  /// Goes halfway to a parameter with each frame, and warms up.
  static let settling = model(#""level": "gain + 0.5 * delay(level, 1) + 0 * x", "y": "level""#, prewarm: 100)

  /// Dies away, the first one to silence, the others to a level.
  static let fading = [0, 0.5, -0.125].map {
    model("\"wet\": \"x + 0.99 * delay(wet, 1)\", \"y\": \"wet + \($0)\"")
  }

  private static func model(_ graph: String, prewarm: Int = 0) -> Model {
    let gain = #""gain": { "default": 1, "minimum": 0, "maximum": 4, "ramp": 0 }"#
    let text = """
      { "legato": 1, "name": "Small", "prewarm": \(prewarm), "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": { \(graph.contains("gain") ? gain : "") }, "graph": { \(graph) }, "outputs": ["y"] }
      """
    guard let model = try? Model(text) else { preconditionFailure("a test's model is wrong") }
    return model
  }
}
