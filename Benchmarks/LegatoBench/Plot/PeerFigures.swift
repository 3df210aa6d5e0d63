// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Times of other programs, from the JSON file that `Benchmarks/peers/compare --json` writes.
struct PeerFigures {
  struct Row: Decodable {
    let graph, peer: String
    let frames: Int
    /// Of one block.
    let nanoseconds: Double
    /// The fastest way, or the difference of its formula.
    let note: String?
  }

  private struct Document: Decodable { let rows: [Row] }

  let rows: [Row]

  init(contentsOf path: String) throws {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      let reason = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "no such file"
      throw BenchError("\(path): \(reason); Benchmarks/peers/compare --json makes it")
    }
    do { rows = try JSONDecoder().decode(Document.self, from: data).rows } catch {
      throw BenchError(
        "\(path): not a file of Benchmarks/peers/compare: it has no rows of graph, peer, frames and nanoseconds"
      )
    }
    for row in rows where row.frames <= 0 || !(row.nanoseconds > 0) || !row.nanoseconds.isFinite {
      throw BenchError("\(path): \(row.peer) takes \(row.nanoseconds) ns for \(row.frames) frames")
    }
  }

  /// One line of the picture: nanoseconds per frame by block size.
  struct Peer {
    let name: String
    /// Whether it computes something else.
    let hasOtherFormula: Bool
    let points: [(frames: Int, nanoseconds: Double)]
  }

  /// The peers of a graph, in the order of the file, but for the C kernel, which is measured here, and for rows that
  /// say only what a call costs.
  func peers(of graph: String) -> [Peer] {
    let matching = rows.filter {
      $0.graph == graph && $0.peer != "C by hand" && !$0.peer.hasSuffix("Gain of 0 dB")
    }
    var names: [String] = []
    for row in matching where !names.contains(row.peer) { names.append(row.peer) }
    return names.map { name in
      let points = matching.filter { $0.peer == name }.sorted { $0.frames < $1.frames }
      return Peer(
        name: name, hasOtherFormula: points.contains { $0.note?.hasPrefix("other formula") ?? false },
        points: points.map { ($0.frames, $0.nanoseconds / Double($0.frames)) })
    }
  }
}
