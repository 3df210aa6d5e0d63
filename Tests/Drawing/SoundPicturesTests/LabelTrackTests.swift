// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoundPictures

@Suite("Labels as Audacity writes them")
struct LabelTrackTests {
  @Test("beginnings, ends, labels; lines of frequencies are passed over")
  func lines() throws {
    let track = try LabelTrack("1.5\t2\tb\tc\r\n\\\t100\t200\n\n0\t1.25\ta\n3\t3\n")
    #expect(track.labels.map(\.text) == ["a", "b\tc", ""])
    #expect(track.labels.map(\.begin) == [0, 1.5, 3] && track.labels.map(\.end) == [1.25, 2, 3])
  }

  @Test("labels that overlap stand in lanes, and those for which there are too few are counted")
  func lanes() throws {
    let track = try LabelTrack("0\t2\ta\n1\t3\tb\n2\t4\tc\n2.5\t3\td\n")
    let (two, left) = track.lanes(most: 2)
    #expect(two.map { $0.map(\.text) } == [["a", "c"], ["b"]] && left == 1)
    #expect(track.lanes(most: 3).lanes.map { $0.map(\.text) } == [["a", "c"], ["b"], ["d"]])
  }

  @Test(
    "what is no label is told with its line",
    arguments: [
      ("", 1, "there is no label; a line has its beginning, its end and its name"),
      ("0 1 a", 1, "a line has the beginning, the end and the label, with tabs between them, not '0 1 a'"),
      ("0\t1\ta\n2\t1\tb", 2, "the label ends at 1 s, before it begins at 2 s"),
      ("0\tnan\ta", 1, "the beginning and the end are seconds, such as 1.25, not '0' and 'nan'"),
      ("-1\t1\ta", 1, "the beginning and the end are seconds, such as 1.25, not '-1' and '1'"),
      ("a\tb\tc", 1, "the beginning and the end are seconds, such as 1.25, not 'a' and 'b'"),
    ])
  func refusals(text: String, line: Int, message: String) {
    do {
      _ = try LabelTrack(text)
      Issue.record("it is read")
    } catch { #expect(error.line == line && error.message == message, "\(error)") }
  }
}
