// SPDX-License-Identifier: Apache-2.0

import TestEquipment
import Testing

/// `train` and `evaluate`: tables of readings, of which windows are the examples.
@Suite("Command: readings to learn from", .waits)
struct TrainingReadingsTests {
  @Test("labels of readings that are those of no window are told") func outvotedLabels() throws {
    let tool = try Tool()
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10, "inputs": { "x": { "shape": [3, 2] } },
        "weights": { "w": [[1, 0], [0, 1]], "b": [0, 0] }, "graph": { "p": "dense(mean(x, axis: 0), 'w', 'b')" },
        "outputs": ["p"], "listen": { "columns": ["a", "b"] } }
      """)
    // Two windows, and two readings behind them.
    try tool.make("r.csv", "a,b,label\n" + "uuzvvstq".map { "1,1,\($0)\n" }.joined())
    let judged = try tool.run("evaluate", "m.json", "--data", "r.csv")
    let lines = [("4", "z"), ("7", "s"), ("8", "t")].map {
      "r.csv:\($0): '\($1)' is the label of 1 reading, and of no whole window\n"
    }
    #expect(judged.code == 0, "\(judged)")
    let last =
      "r.csv: 1 more label of no whole window\n"
      + "r.csv: 'u' is 0, 'v' is 1, by the classes there: the output states no 'labels'\n"
    #expect(judged.messages == lines.joined() + last, "\(judged)")
  }
}
