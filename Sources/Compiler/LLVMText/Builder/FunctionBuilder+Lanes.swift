// SPDX-License-Identifier: Apache-2.0

/// Numbers on their way from lane to lane.
extension FunctionBuilder {
  /// Scalars in the lanes of one vector; where there is none, what is there in another one, or zero.
  func gathered(_ scalars: [String?], into other: Lanes? = nil) -> Lanes {
    let type = Lanes.type(.float, width: width)
    var vector = other?[0] ?? "zeroinitializer"
    for (lane, scalar) in scalars.enumerated() {
      if let scalar { vector = define("insertelement \(type) \(vector), float \(scalar), i32 \(lane)") }
    }
    return Lanes(names: [vector], element: .float, width: width)
  }

  /// Lanes of two vectors, those of the second one counted behind those of the first.
  func shuffled(_ a: Lanes, _ b: Lanes, _ lanes: [Int]) -> Lanes {
    let places = lanes.map { "i32 \($0)" }.joined(separator: ", ")
    let mask = "<\(lanes.count) x i32> <\(places)>"
    return Lanes(
      names: [define("shufflevector \(a.type) \(a[0]), \(b.type) \(b[0]), \(mask)")], element: a.element,
      width: width)
  }

  /// Each number so many lanes later, behind zeros.
  func later(_ a: Lanes, by distance: Int) -> Lanes {
    let zeros = Lanes(names: ["zeroinitializer"], element: a.element, width: width)
    return shuffled(zeros, a, (0..<width).map { $0 < distance ? $0 : width + $0 - distance })
  }

  /// Each number so many lanes later, the last ones in front: one instruction where zeros would take two.
  func rotated(_ a: Lanes, by distance: Int) -> Lanes {
    shuffled(a, a, (0..<width).map { ($0 + width - distance) % width })
  }

  /// The last number in all lanes.
  func lastLane(_ a: Lanes) -> Lanes {
    width == 1 ? a : shuffled(a, a, [Int](repeating: width - 1, count: width))
  }

  /// In each lane the sum of the whole numbers up to it: of two, of four, and so on.
  func sums(_ numbers: Lanes) -> Lanes {
    var sums = numbers
    var distance = 1
    while distance < width {
      sums = binary("add", sums, later(sums, by: distance))
      distance *= 2
    }
    return sums
  }

  /// All lanes combined: the second half is combined with the first until one is left.
  func halved(_ numbers: Lanes, _ combine: (Lanes, Lanes) -> Lanes) -> Lanes {
    guard numbers.width > 1 else { return numbers }
    let half = numbers.width / 2
    var rest = numbers
    inVectors(of: half) {
      func part(_ first: Int) -> Lanes { shuffled(numbers, numbers, Array(first..<first + half)) }
      rest = half > 1 ? combine(part(0), part(half)) : combine(lane(numbers, 0), lane(numbers, 1))
    }
    return halved(rest, combine)
  }

  private func lane(_ numbers: Lanes, _ lane: Int) -> Lanes {
    Lanes(names: [extracted(numbers, lane)], element: numbers.element, width: 1)
  }

  func extracted(_ vector: Lanes, _ lane: Int) -> String {
    vector.width == 1 ? vector[0] : define("extractelement \(vector.type) \(vector[0]), i32 \(lane)")
  }
}
