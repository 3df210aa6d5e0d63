// SPDX-License-Identifier: Apache-2.0

import Legato
import Listening
import Testing

@Suite struct LabelTrackWriterTests {
  /// The track of windows in each of which one of two numbers is the larger.
  ///
  /// - Parameter step: Seconds from a reading to the next, where the source says its times.
  private func track(
    _ labels: [Int], hop: Int, names: [String] = ["walking", "running"], step: Double? = nil
  ) throws -> String {
    let text = """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 1, "inputs": { "x": { "shape": [4, 2] } },
        "graph": { "p": "reshape(slice(x, axis: 0, start: 3), [2])" }, "outputs": ["p"] }
      """
    var options = Listener.Options()
    (options.hop, options.labels) = (hop, names)
    var listener = try Listener(Model(text), options)
    var track = LabelTrackWriter(window: 4, hop: hop, rate: 1)
    var (lines, place) = ("", 0)
    for (window, label) in labels.enumerated() {
      let reading: [Float] = label == 0 ? [1, 0] : [0, 1]
      let count = window == 0 ? 4 : hop
      let readings = Array(repeating: reading, count: count).flatMap(\.self)
      let times = step.map { step in (place..<place + count).map { 100 + Double($0) * step } }
      place += count
      for found in try listener.listen(readings, times: times) { lines += track.add(found) }
    }
    return lines + track.finish()
  }

  @Test func windowsOfOneLabelAreOneStretch() throws {
    #expect(
      try track([0, 0, 1], hop: 4) == "0.000000\t8.000000\twalking\n8.000000\t12.000000\trunning\n")
    #expect(try track([0, 0, 1], hop: 2) == "0.000000\t5.000000\twalking\n5.000000\t8.000000\trunning\n")
    #expect(try track([1], hop: 4) == "0.000000\t4.000000\trunning\n")
    #expect(try track([], hop: 4) == "")
  }

  @Test func stretchesHaveTheTimesOfTheSource() throws {
    let expected = "100.000000\t108.800000\twalking\n108.800000\t113.100000\trunning\n"
    #expect(try track([0, 0, 1], hop: 4, step: 1.1) == expected)
    // Of a clock that is slower than the rate, windows end behind the beginning of the next.
    #expect(
      try track([0, 0], hop: 4, step: 0.9) == "100.000000\t107.300000\twalking\n", "they are one stretch")
  }

  @Test func timeThatNoWindowSawIsInNone() throws {
    #expect(try track([0, 0], hop: 6) == "0.000000\t4.000000\twalking\n6.000000\t10.000000\twalking\n")
  }

  @Test func whatWouldEndALineIsASpace() throws {
    #expect(try track([0], hop: 4, names: ["a\tb\nc", "d"]) == "0.000000\t4.000000\ta b c\n")
  }
}
