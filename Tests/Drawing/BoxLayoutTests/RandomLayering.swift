// SPDX-License-Identifier: Apache-2.0

import BoxLayout
import SVGDrawing
import TestEquipment

/// Layered graphs of any size, the same for the same seed.
enum RandomLayering {
  static func graph(boxes count: Int, seed: UInt64) -> LayeredGraph {
    var random = SplitMix(seed: seed)
    var graph = LayeredGraph()
    for box in 0..<count {
      graph.boxes.append(.init(Size(Double(random.below(150) + 20), Double(random.below(60) + 20))))
      guard box > 0 else { continue }
      for _ in 0...random.below(2) {
        let reach = random.below(10) == 0 ? min(box, 60) : min(box, 9)
        graph.edges.append(.init(box - 1 - random.below(reach), box))
      }
      if random.below(12) == 0 {
        graph.edges.append(.init(box, box - random.below(min(box, 20) + 1), leadsBack: true))
      }
    }
    return graph
  }
}
