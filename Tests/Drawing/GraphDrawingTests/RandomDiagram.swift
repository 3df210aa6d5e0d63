// SPDX-License-Identifier: Apache-2.0

import BoxLayout
import GraphDrawing
import TestEquipment

extension Diagram {
  /// Boxes with text, edges between near ones, and pins at both borders; the same for the same seed.
  static func random(boxes count: Int, seed: UInt64) -> Diagram {
    var random = SplitMix(seed: seed)
    var diagram = Diagram()
    for box in 0..<count {
      var text = Diagram.Box(.operation, String(repeating: "x", count: 3 + random.below(20)))
      text.details = (0..<random.below(4)).map { "line \($0)" }
      text.tab = box.isMultiple(of: 3) ? "[2, frames]" : ""
      _ = diagram.add(text)
    }
    for box in 1..<count {
      for _ in 0...random.below(2) {
        let reach = random.below(10) == 0 ? min(box, 60) : min(box, 9)
        diagram.connect(.init(box - 1 - random.below(reach), box))
      }
      if random.below(12) == 0 {
        diagram.connect(.init(box, box - random.below(min(box, 20) + 1), leadsBack: true))
      }
    }
    for _ in 0..<5 {
      let (first, last) = (
        diagram.add(.init(sign: .memory, "in", row: .first)),
        diagram.add(.init(sign: .memory, "out", row: .last))
      )
      diagram.connect(.init(first, random.below(count)))
      diagram.connect(.init(random.below(count), last))
    }
    return diagram
  }
}
