// SPDX-License-Identifier: Apache-2.0

import Legato
import Listening
import Testing

/// Answers as text.
@Suite struct RecognitionFormatTests {
  private static let names = ["at\trest", "running"]

  /// The text of two windows, of which the second has no finite number.
  private func text(_ kind: RecognitionFormat.Kind) throws -> String {
    let model = try Model(
      """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 4, "inputs": { "x": { "shape": [4, 2] } },
        "graph": { "p": "reshape(slice(x, axis: 0, start: 3), [2]) / 4" }, "outputs": ["p"] }
      """)
    var options = Listener.Options()
    options.labels = Self.names
    var listener = try Listener(model, options)
    var format = RecognitionFormat(kind, labels: listener.labels, window: 4, hop: 4, rate: 4)
    var text = ""
    for found in try listener.listen([0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, .nan, .nan]) {
      if found.window == 0 { text += format.head(of: found) }
      text += try format.text(found)
    }
    return text + format.end()
  }

  @Test func aTableHasAColumnForEachLabel() throws {
    let text = try text(.table)
    #expect(
      text == """
           begin       end  label         probability  atU+0009rest  running
           0.000     1.000  running             0.750         0.250    0.750
           1.000     2.000  -                   0.000             -        -

        """)
  }

  @Test func linesHaveFields() throws {
    let text = try text(.lines)
    #expect(
      text == "0.000\t1.000\trunning\t0.750\n1.000\t2.000\t-\t0.000\n")
  }

  @Test func objectsHaveNullForNoNumber() throws {
    let text = try text(.json)
    #expect(
      text == #"""
        {"begin":0,"end":1,"label":"running","probabilities":{"at\trest":0.25,"running":0.75},"probability":0.75,"window":0}
        {"begin":1,"end":2,"probabilities":{"at\trest":null,"running":null},"window":1}

        """#)
  }

  @Test func aTrackHasStretches() throws {
    let text = try text(.labels)
    #expect(
      text == "0.000000\t1.000000\trunning\n1.000000\t2.000000\t\n")
  }
}
