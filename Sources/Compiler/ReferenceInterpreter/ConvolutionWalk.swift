// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The numbers by which a convolution finds its operands.
///
///     x [outer, channels, area, inner]   weight [outputs, channels / groups, taps]
///     →  [outer, outputs, positions, inner]
///
/// The area is all axes that it walks along; a position begins somewhere in it, and each tap lies a distance from there.
/// Along frames area, positions and inner are 1, and the taps reach back in time.
struct ConvolutionWalk {
  let outer: Int
  let channels: Int
  let area: Int
  let inner: Int
  let outputs: Int
  /// The place in the area where each position begins.
  let positions: [Int]
  /// The distance of each tap from there.
  let taps: [Int]
  /// How many frames ago each tap is.
  let delays: [Int]
  let groups: Int

  init(_ convolution: Convolution, of x: Shape, to result: Shape) {
    let channelAxis = convolution.channelAxis(of: x)
    outer = x.fixed[..<channelAxis].reduce(1, *)
    channels = x.fixed[channelAxis]
    outputs = result.fixed[channelAxis]
    groups = convolution.groups
    let fixed = convolution.fixedWalks
    let behind = fixed.isEmpty ? x.fixed.count : channelAxis + 1 + fixed.count
    let extents = Array(x.fixed[(channelAxis + 1)..<behind])
    let strides = extents.rowMajorStrides
    area = extents.reduce(1, *)
    inner = x.fixed[behind...].reduce(1, *)
    func places(_ counts: [Int], _ distances: [Int]) -> [Int] {
      zip(counts, distances).reduce([0]) { places, axis in
        places.flatMap { place in (0..<axis.0).map { place + $0 * axis.1 } }
      }
    }
    positions = places(
      fixed.map { result.fixed[$0.axis] }, zip(fixed, strides).map { $0.walk.stride * $1 })
    if case .frames = convolution.axis {
      let walk = convolution.walks[0]
      delays = (0..<walk.kernelSize).map { (walk.kernelSize - 1 - $0) * walk.dilation }
      taps = delays.map { _ in 0 }
    } else {
      taps = places(fixed.map(\.walk.kernelSize), zip(fixed, strides).map { $0.walk.dilation * $1 })
      delays = taps.map { _ in 0 }
    }
  }
}
