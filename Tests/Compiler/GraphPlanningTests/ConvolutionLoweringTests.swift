// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Testing

/// Whether vectors go along the lines of a picture or along the outputs of its convolution.
@Suite struct ConvolutionLoweringTests {
  /// Lines that hardly leave a lane empty are read where they are, others number by number.
  @Test(arguments: [
    (8, 32), (20, 32), (28, 32), (29, 29), (32, 32), (40, 32), (64, 64), (161, 161), (175, 175),
  ])
  func vectorsGoAlongWhatFillsThem(width: Int, innermost: Int) throws {
    let numbers = (0..<32 * 27).map { String($0 % 7) }.joined(separator: ", ")
    let graph = try Graph(
      parsing: """
        graph "picture" step 48000
        input x [3, 6, \(width + 2)]
        weights "w" [32, 3, 3, 3] = [\(numbers)]
        y = conv2d(x, "w")
        output y = y
        """)
    let folds = KernelGraph(lowering: graph).kernels.compactMap {
      if case .fold(let fold) = $0 { fold } else { nil }
    }
    #expect(folds.map(\.space.inner) == [.count(innermost)])
  }
}
