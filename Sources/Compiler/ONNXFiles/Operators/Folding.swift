// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  static let folding: [String: ONNXOperator] = ["Col2Im": .init(single: fold)]

  /// Blocks put into their places, and added where they overlap: each number of the image is a sum of a few that are known.
  ///
  ///     [batch, channels · numbers of a block, blocks]  →  [batch, channels, image…]
  private static func fold(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let x = try call.operand(0)
    let image = try call.integers(1, "the shape of the image") ?? []
    let block = try call.integers(2, "the shape of a block") ?? []
    let sizes = image + block
    guard !image.isEmpty, image.count == block.count, sizes.allSatisfy({ (1...1 << 24).contains($0) }),
      let numbers = block.numbers
    else { throw ONNXError("an image of \(image) with blocks of \(block)") }
    let window = try SlidingWindow(call, space: image, kernel: block)
    var counts: [Int] = []
    for axis in image.indices { counts.append(try window.count(axis, image[axis])) }
    guard let blocks = counts.numbers, x.rank == 3, x.shape[1] % numbers == 0, x.shape[2] == blocks else {
      throw ONNXError("\(x.shape) does not hold \(counts) blocks of \(block)")
    }
    let shape = [x.shape[0], x.shape[1] / numbers] + image
    try ONNXCall.check(shape)
    // Of each place of the image the numbers of blocks that come there.
    var places = [[0]]
    for axis in image.indices {
      let taps = (0..<image[axis]).map { place in
        (0..<block[axis]).compactMap { tap -> Int? in
          let begin = place + window.before[axis] - tap * window.dilations[axis]
          let number = begin / window.strides[axis]
          guard begin >= 0, begin % window.strides[axis] == 0, number < counts[axis] else { return nil }
          return tap * block[(axis + 1)...].reduce(blocks, *) + number * counts[(axis + 1)...].reduce(1, *)
        }
      }
      let (count, most) = (places.reduce(0) { $0 + $1.count } * taps.reduce(0) { $0 + $1.count }, 1 << 21)
      guard count <= most else { throw ONNXError("it would add \(count) numbers; \(most) are the most") }
      try call.source.take(count)
      places = places.flatMap { first in taps.map { own in first.flatMap { one in own.map { one + $0 } } } }
    }
    let most = max(1, places.map(\.count).max() ?? 0)
    let columns = [x.shape[0], shape[1], numbers * blocks]
    // Behind them a zero, for the places where fewer come.
    let padded = try call.pad(try call.reshape(x, columns), axis: 2, 0, 1)
    let index = try call.array(
      "places", [places.count, most],
      places.flatMap { own in
        (own + Array(repeating: columns[2], count: most - own.count)).map(Double.init)
      })
    try ONNXCall.check([shape[0], shape[1], places.count, most])
    let found = "gather(\(try call.text(padded).unbracketed), \(try call.text(index)), axis: 2)"
    return try call.reshape(
      .expression("sum(\(found), axis: 3)", x.element, [shape[0], shape[1], places.count]), shape)
  }
}
