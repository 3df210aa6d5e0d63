// SPDX-License-Identifier: Apache-2.0

import Legato

/// Models of steps that tests run, and the arrays for them.
enum StepModels {
  /// Sums what goes in, and shows it beside its square.
  static let sums = """
    { "legato": 1, "name": "Sums",
      "inputs": { "x": { "shape": [2], "description": "What is summed." }, "scale": { "shape": [] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
      "graph": { "total": "x * scale * gain + delay(total, 1)", "squared": "total * total" },
      "outputs": ["total", "squared"] }
    """
  /// One input, of which an axis is open, and one output.
  static let rows = """
    { "legato": 1, "name": "Rows", "inputs": { "x": { "shape": ["time", 2] } },
      "graph": { "y": "sum(x, axis: 1)" }, "outputs": ["y"] }
    """
  /// Reciprocals, of which that of 0 is infinite.
  static let reciprocals = """
    { "legato": 1, "name": "Reciprocals", "inputs": { "x": { "shape": [2] } },
      "graph": { "y": "1 / x" }, "outputs": ["y"] }
    """
  static let ticks = """
    { "legato": 1, "name": "Ticks", "clock": "step", "graph": { "n": "1 + delay(n, 1)" }, "outputs": ["n"] }
    """

  static let sequence = try! Tensor(shape: [3, 2], values: [1, 10, 2, 20, 3, 30])

  /// A folder with all of them.
  static func make(in tool: Tool) throws {
    for (name, text) in [("sums", sums), ("rows", rows), ("reciprocals", reciprocals), ("ticks", ticks)] {
      try tool.make("\(name).json", text)
    }
    try sequence.write(to: tool.path("x.npy"))
    try Tensor(0.5).write(to: tool.path("half.npy"))
    try tool.make("in.npz", TensorArchive.npz([("x", sequence), ("scale", Tensor(1)), ("more", Tensor(7))]))
  }
}
