// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

/// How much of a number of an op's first operand, as it was some frames ago, goes into a number of the result.
struct LinearRead {
  var number: Int
  var frames: Int
  var factor: Double
}

extension Op {
  /// The linear reads of the first operand for each number of the result; nil where the op has none.
  ///
  ///     delay(x, 100)             x of 100 frames ago
  ///     fir(x, [0.5, 0.25])       half of x, and a quarter of x a frame ago
  ///     dense(x, weight)          each channel of x, with the factors of a row
  ///     gather(x, 3)              position 3 of x
  ///
  /// nil for other ops, and where their other operand is not constant, or the read is of the present frame.
  ///
  /// - Parameters:
  ///   - x: The extents of the first operand.
  ///   - other: The second operand, where it is constant.
  func linearReads(of x: [Int], _ other: Tensor<Double>?, into extents: [Int]) -> Tensor<[LinearRead]>? {
    switch kind {
    case .time(.delay(let frames)):
      return Tensor(
        extents, Self.places(x, extents).map { [LinearRead(number: $0, frames: frames, factor: 1)] })
    case .time(.tap(let tap)):
      guard let by = other?.stretched(to: extents).numbers else { return nil }
      let reads = zip(Self.places(x, extents), by).compactMap { number, by in
        tap.reads(by)?.map { LinearRead(number: number, frames: $0.frames, factor: $0.factor) }
      }
      return reads.count == by.count ? Tensor(extents, reads) : nil
    case .movement(.gather(let axis)):
      let places = Tensor(x, Array(0..<x.reduce(1, *)))
      return other.map { index in
        let numbers = places.gathered(index.numbers, along: axis, extents).numbers
        return Tensor(extents, numbers.map { [LinearRead(number: $0, frames: 0, factor: 1)] })
      }
    case .layer(.dense(let axis, _)):
      return other.map { Convolution(axis: .frames, kernelSize: 1).reads(of: x, axis, $0, into: extents) }
    case .layer(.convolution(let convolution)):
      let axis = convolution.channelAxis(of: Shape(x))
      return other.map { convolution.reads(of: x, axis, $0, into: extents) }
    case .given, .elementwise, .movement, .reduction, .contraction, .time, .source:
      return nil
    }
  }

  /// The number that each number of the result is of.
  private static func places(_ x: [Int], _ extents: [Int]) -> [Int] {
    Tensor(x, Array(0..<x.reduce(1, *))).stretched(to: extents).numbers
  }
}

extension Convolution {
  fileprivate func reads(
    of x: [Int], _ channelAxis: Int, _ weight: Tensor<Double>, into extents: [Int]
  ) -> Tensor<[LinearRead]> {
    let (strides, own) = (x.rowMajorStrides, extents.rowMajorStrides)
    let (inputs, outputsOfGroup) = (weight.extents[1], weight.extents[0] / groups)
    let kernel = walks.map(\.kernelSize)
    let (taps, tapStrides) = (kernel.reduce(1, *), kernel.rowMajorStrides)
    func reads(_ number: Int) -> [LinearRead] {
      var place = extents.indices.map { number / own[$0] % extents[$0] }
      let output = place[channelAxis]
      for (axis, walk) in fixedWalks { place[axis] *= walk.stride }
      place[channelAxis] = output / outputsOfGroup * inputs
      let first = zip(place, strides).reduce(0) { $0 + $1.0 * $1.1 }
      let factors = weight.numbers[(output * inputs) * taps..<(output + 1) * inputs * taps]
      return factors.enumerated().filter { $0.element != 0 }.map { index, factor in
        let (input, tap) = index.quotientAndRemainder(dividingBy: taps)
        let distances = fixedWalks.enumerated().map { index, fixed in
          tap / tapStrides[index] % kernel[index] * fixed.walk.dilation * strides[fixed.axis]
        }
        return LinearRead(
          number: first + input * strides[channelAxis] + distances.reduce(0, +),
          frames: axis == .frames ? (taps - 1 - tap) * walks[0].dilation : 0, factor: factor)
      }
    }
    return Tensor(extents, (0..<extents.reduce(1, *)).map(reads))
  }
}

extension Tap {
  /// The frames that it reads at a constant delay, with their factors; nil where it reads the present frame.
  fileprivate func reads(_ by: Double) -> [(frames: Int, factor: Double)]? {
    guard by.isFinite else { return nil }
    let kept = max(Double(minimum), min(Double(maximum), by))
    let (whole, t) = (Int(kept), kept - kept.rounded(.down))
    let factors: [(Int, Double)]
    switch interpolation {
    case _ where t == 0, .none: factors = [(whole, 1)]
    case .linear: factors = [(whole, 1 - t), (whole + 1, t)]
    case .cubic:
      factors = [
        (whole - 1, t * (t * (1 - t / 2) - 0.5)), (whole, 1 + t * t * (1.5 * t - 2.5)),
        (whole + 1, t * (0.5 + t * (2 - 1.5 * t))), (whole + 2, t * t * (t - 1) / 2),
      ]
    }
    let reads = factors.map { (frames: max(minimum, min(maximum, $0)), factor: $1) }
    return reads.allSatisfy { $0.frames >= 1 } ? reads : nil
  }
}
