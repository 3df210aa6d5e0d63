// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

/// Transposed convolutions, in phases and over numbers that are spread, beside their formula.
@Suite struct TransposedConvolutionTests {
  private func result(_ x: [Float], kernel: [Int], strides: [Int], dilation: Int = 1) throws -> [Float] {
    func attribute(_ name: String, _ numbers: [Int]) -> [UInt8] {
      ONNXBytes.field(1, name) + numbers.flatMap { ONNXBytes.field(8, $0) } + ONNXBytes.field(20, 7)
    }
    let others = Array(repeating: 1, count: strides.count - 1)
    let bytes = ONNXBytes.model(
      [
        ONNXBytes.node("Cast", ["whole"], ["w"], attributes: [ONNXBytes.attribute("to", 1)]),
        ONNXBytes.node(
          "ConvTranspose", ["x", "w"], ["y"],
          attributes: [attribute("strides", strides), attribute("dilations", others + [dilation])]),
      ], tensors: [ONNXBytes.tensor("whole", kernel, shape: [1, 1] + others + [kernel.count])],
      axes: ([1, 1] + others + [x.count]).map { "\($0)" })
    let folder = try TemporaryFolder()
    var runner = try StepRunner(Model(contentsOf: try folder.make("net.onnx", bytes)).compilation())
    return try runner.step(["x": Tensor(shape: [1, 1] + others + [x.count], values: x)])["y"]!.values
  }

  /// An infinite number reaches those results alone that meet it: kernels of as many taps a phase, of fewer in some, with
  /// holes, and shorter than the stride.
  @Test(arguments: [(4, 2, 1), (6, 3, 1), (3, 2, 1), (5, 3, 1), (3, 2, 2), (1, 3, 1), (4, 1, 2)])
  func anInfiniteNumberStaysWhereItIs(taps: Int, stride: Int, dilation: Int) throws {
    let x: [Float] = [1, 2, .infinity, 4, 5, 6]
    let kernel = (1...taps).map { $0 * $0 }
    var expected = [Float](repeating: 0, count: (x.count - 1) * stride + (taps - 1) * dilation + 1)
    for (place, number) in x.enumerated() {
      for (tap, weight) in kernel.enumerated() {
        expected[place * stride + tap * dilation] += number * Float(weight)
      }
    }
    #expect(try result(x, kernel: kernel, strides: [stride], dilation: dilation) == expected)
  }

  /// The product of the strides is beyond all integers.
  @Test func strangersStridesAreNotMultiplied() throws {
    #expect(try result([2], kernel: [3], strides: [1 << 24, 1 << 24, 1 << 24]) == [6])
  }
}
