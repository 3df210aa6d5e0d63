// SPDX-License-Identifier: Apache-2.0

internal import ChartDrawing
internal import Foundation

/// What a frame costs against the size of a block, as an SVG document: Legato, C written by hand, and peers.
///
/// Both axes are of ratios: what a call costs by itself is a slope, what a frame costs is a level.
struct BlockSizePicture {
  private let points: [BlockSizeRows.Point]
  private let peers: PeerFigures?

  init(_ points: [BlockSizeRows.Point], peers: PeerFigures?) {
    self.points = points
    self.peers = peers
  }

  var svg: String {
    let hand = points.compactMap { point in point.hand.map { Series.Value(Double(point.frames), $0) } }
    var series = [
      Series(
        "Legato", .blue, .dottedLine(points.map { Series.Value(Double($0.frames), $0.legato) })),
      Series("C by hand", .gray, .dottedLine(hand)),
    ]
    let others = peers?.peers(of: BlockSizeRows.graph) ?? []
    for (index, peer) in others.enumerated() {
      let values = peer.points.map { Series.Value(Double($0.frames), $0.nanoseconds) }
      // Blue is Legato's.
      let tints = Tint.several.filter { $0 != .blue }
      let name = peer.name + (peer.hasOtherFormula ? " *" : "")
      series.append(Series(name, tints[index % tints.count], .dottedLine(values)))
    }
    let panel = Panel(
      "Nanoseconds per frame", x: Axis(.powerOfTwo), xTitle: "frames in a block", y: Axis(.ratio),
      series: series.filter { !$0.isEmpty }, legend: .lineEnds, height: 340)
    let machine =
      "One core of \(Machine.processorName); medians of whole calls, each of one block. Lower is faster."
    let difference =
      others.contains(where: \.hasOtherFormula) ? ["* computes another formula, a simpler one"] : []
    return Chart(
      "Bitcrusher, stereo: what a frame costs", notes: [machine] + difference, rows: [[panel]]
    ).svg
  }

  /// Throws where the picture has no place, before anything is measured.
  static func checkPlace(_ path: String) throws {
    var isFolder: ObjCBool = false
    if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw BenchError("\(path): is a folder, not a file")
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else { throw BenchError("\(folder): no such folder") }
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw BenchError("\(folder): permission denied")
    }
  }

  func write(to path: String) throws {
    do { try Data(svg.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw BenchError("\(path): the picture cannot be written: \((error as NSError).localizedDescription)")
    }
  }
}
