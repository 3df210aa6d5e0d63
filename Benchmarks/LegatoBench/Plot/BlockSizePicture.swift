// SPDX-License-Identifier: Apache-2.0

internal import ChartDrawing

/// The cost of a frame against the size of a block, as an SVG document: Legato, C written by hand, and peers.
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
      let name = (peer.hasOtherFormula ? "* " : "") + peer.name
      series.append(Series(name, tints[index % tints.count], .dottedLine(values)))
    }
    let panel = Panel(
      "Nanoseconds per frame", x: Axis(.powerOfTwo), xTitle: "frames in a block", y: Axis(.ratio),
      series: series.filter { !$0.isEmpty }, legend: .lineEnds, height: 340)
    let machine =
      "One core of \(Machine.processorName); medians of whole calls of one block, unless cut inside. Lower is faster."
    let difference =
      others.contains(where: \.hasOtherFormula) ? ["* computes another formula, a simpler one"] : []
    return Chart(
      "Bitcrusher, stereo: what a frame costs", notes: [machine] + difference, rows: [[panel]]
    ).svg
  }
}
