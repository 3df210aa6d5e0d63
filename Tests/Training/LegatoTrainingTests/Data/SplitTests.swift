// SPDX-License-Identifier: Apache-2.0

import LegatoTraining
import Testing

/// Examples in two parts, of which one is held back.
@Suite struct SplitTests {
  /// Examples that are their positions, several of which make a file.
  private struct Windows: Dataset {
    let files: [Int]
    var count: Int { files.count }

    func item(_ index: Int) -> [String: [Float]] { ["x": [Float(index)]] }
    func whole(of index: Int) -> Int { files[index] }
  }

  /// Windows of one file stay on one side: what is all but known of it does not help with another.
  @Test(arguments: [0, 0.1, 0.25, 0.5]) func wholes(share: Double) throws {
    let files = (0..<20).flatMap { [Int](repeating: $0, count: 1 + $0 % 4) }
    let data = Windows(files: files)
    let parts = data.split(validating: share)
    func places(_ part: Subset) throws -> [Int] {
      try (0..<part.count).map { Int(try part.item($0)["x"]![0]) }
    }
    let (training, held) = (try places(parts.training), try places(parts.validation))
    #expect((training + held).sorted() == Array(0..<data.count))
    let (learned, judged) = (Set(training.map { files[$0] }), Set(held.map { files[$0] }))
    #expect(learned.isDisjoint(with: judged) && judged.count == Int(20 * share))
    // A part of a part knows the files, too.
    let again = parts.training.split(validating: 0.5)
    #expect(
      Set(try places(again.training).map { files[$0] }).isDisjoint(
        with: try places(again.validation).map { files[$0] }))
  }

  /// Classes in turn, at any distance, are on both sides.
  @Test(arguments: [2, 3, 4, 5], [0.1, 0.2, 0.25, 0.5]) func classesInTurn(classes: Int, share: Double) throws
  {
    let data = Windows(files: Array(0..<240))
    let parts = data.split(validating: share)
    for part in [parts.training, parts.validation] {
      #expect(Set(try (0..<part.count).map { Int(try part.item($0)["x"]![0]) % classes }).count == classes)
    }
  }

  /// Of few wholes a small share is one, so that something is judged, and a large one not all; no share is none.
  @Test(
    arguments: [
      (1, 0.1, 0), (2, 0.1, 1), (4, 0.1, 1), (4, 0, 0), (4, 0.5, 2), (1, 0.5, 0), (2, 0.9, 1), (3, 0.9, 2),
      (20, 0.99, 19),
    ])
  func few(wholes: Int, share: Double, held: Int) {
    let data = Windows(files: (0..<wholes).flatMap { [$0, $0, $0] })
    let parts = data.split(validating: share)
    #expect(parts.validation.count == 3 * held && parts.training.count == 3 * (wholes - held))
  }
}
