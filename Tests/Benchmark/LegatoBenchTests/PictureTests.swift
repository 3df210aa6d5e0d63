// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoBench

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Benchmark: the picture")
struct PictureTests {
  private static let rows = """
    {"rows": [
      {"graph": "bitcrusher stereo", "peer": "ONNX Runtime 1", "frames": 64, "nanoseconds": 6400, "note": "fastest"},
      {"graph": "bitcrusher stereo", "peer": "ONNX Runtime 1", "frames": 16, "nanoseconds": 3200, "note": "fastest"},
      {"graph": "conv stack", "peer": "ONNX Runtime 1", "frames": 16, "nanoseconds": 1},
      {"graph": "bitcrusher stereo", "peer": "C by hand", "frames": 16, "nanoseconds": 10},
      {"graph": "bitcrusher stereo", "peer": "pedalboard <&>", "frames": 16, "nanoseconds": 80,
       "note": "other formula: no saturation"},
      {"graph": "bitcrusher stereo", "peer": "pedalboard <&>, Gain of 0 dB", "frames": 16, "nanoseconds": 70}
    ], "files": [], "machine": {}}
    """
  private static let points = [
    BlockSizeRows.Point(frames: 16, legato: 0.8, hand: 0.4),
    BlockSizeRows.Point(frames: 4096, legato: 0.3, hand: 0.3),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func peers(_ text: String) throws -> PeerFigures {
    let file = folder.url.appending(path: "rows.json")
    try Data(text.utf8).write(to: file)
    return try PeerFigures(contentsOf: file.path())
  }

  @Test("peers come by name, each with what a frame costs by block size; the C kernel is measured here")
  func figures() throws {
    let peers = try peers(Self.rows).peers(of: BlockSizeRows.graph)
    #expect(peers.map(\.name) == ["ONNX Runtime 1", "pedalboard <&>"])
    #expect(peers.map(\.hasOtherFormula) == [false, true])
    #expect(peers[0].points.map(\.frames) == [16, 64] && peers[0].points.map(\.nanoseconds) == [200, 100])
    #expect(try self.peers(#"{"rows": []}"#).peers(of: BlockSizeRows.graph).isEmpty)
  }

  @Test(
    "a file that is none of theirs is one line",
    arguments: [
      ("", "rows.json: not a file of Benchmarks/peers/compare: it has no rows of graph, peer, frames and "),
      ("[]", "rows.json: not a file of Benchmarks/peers/compare: "),
      (#"{"rows": [{"graph": "g"}]}"#, "rows.json: not a file of Benchmarks/peers/compare: "),
      (
        #"{"rows": [{"graph": "g", "peer": "p", "frames": 0, "nanoseconds": 1}]}"#,
        "rows.json: p takes 1.0 ns for 0 frames"
      ),
      (
        #"{"rows": [{"graph": "g", "peer": "p", "frames": 16, "nanoseconds": -1}]}"#,
        "rows.json: p takes -1.0 ns for 16 frames"
      ),
    ])
  func mistakes(_ text: String, _ message: String) throws {
    try Data(text.utf8).write(to: folder.url.appending(path: "rows.json"))
    let run = try runBench(["--plot", "a.svg", "--peers", "rows.json"], in: folder)
    #expect(run.code == 1 && run.lines.count == 1, "\(run.messages)")
    #expect(run.lines.first?.hasPrefix("legato-bench: " + message) == true, "\(run.messages)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["rows.json"])
  }

  @Test("a peer's file that is missing is said before anything is measured")
  func missing() throws {
    let run = try runBench(["--plot", "a.svg", "--peers", "no.json"], in: folder)
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(run.lines == ["legato-bench: no.json: no such file; Benchmarks/peers/compare --json makes it"])
  }

  @Test("the picture has a line for Legato, the C kernel and each peer, and says which formulas differ")
  func picture() throws {
    let svg = BlockSizePicture(Self.points, peers: try peers(Self.rows)).svg
    #expect(XMLParser(data: Data(svg.utf8)).parse())
    for name in [
      "Legato", "C by hand", "ONNX Runtime 1", "* pedalboard &lt;&amp;&gt;",
      "* computes another formula, a simpler one", "4096",
    ] {
      #expect(svg.contains(">\(name)<"), "\(name)")
    }
    #expect(!svg.contains("Gain of 0 dB") && svg.count(of: "class=\"line line-") == 4)
    let alone = BlockSizePicture(
      Self.points.map { .init(frames: $0.frames, legato: $0.legato, hand: nil) }, peers: nil)
    #expect(alone.svg.count(of: "class=\"line line-") == 1 && !alone.svg.contains("by hand"))
    #expect(!alone.svg.contains("another formula"))
  }
}

extension String {
  fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
