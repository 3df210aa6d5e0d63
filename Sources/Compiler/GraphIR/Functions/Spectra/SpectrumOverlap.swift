// SPDX-License-Identifier: Apache-2.0

/// Numbers of spectra: stretches that overlap, added where they do.
///
///     position 0    ▓▓▓▓▓▓▓▓              size
///     position 1        ▓▓▓▓▓▓▓▓          a hop later
///     position 2            ▓▓▓▓▓▓▓▓
///     result          ├────────────┤      over the sum of the squares of the windows
///
/// Each stretch is a row of some hops; rows one hop further to the right than those before are what the same numbers are
/// in rows that are shorter by one, so that adding is one sum:
///
///     a b . .      a b .
///     c d . .  →   . c d     →  a  b + c  d
///
/// The conventions are those of `torch.istft`, which takes what librosa does, too.
struct SpectrumOverlap {
  let size, hop, positions: Int
  let windowSize: Int
  let window: String
  /// The numbers of the result, among those of all stretches.
  let range: Range<Int>

  init(_ call: Call, _ shape: Shape, _ graph: GraphAssembler) throws(TypingError) {
    size = try graph.checked(size: call.integer("size"))
    hop = call.optionalInteger("hop") ?? max(1, size / 4)
    windowSize = call.optionalInteger("windowSize") ?? size
    window = call.choice("window")
    try SpectrumFrames.check(hop: hop, windowSize: windowSize, size: size)
    let axes = shape.fixed.suffix(3)
    guard axes.count == 3, axes[axes.startIndex] == 2, axes[axes.startIndex + 1] == size / 2 + 1 else {
      throw TypingError(
        "spectra of \(size) numbers are [2, \(size / 2 + 1), positions], perhaps behind other axes; this is \(shape)"
      )
    }
    positions = axes[axes.startIndex + 2]
    let padded = call.choice("padding") == "none" ? 0 : size / 2
    let (distance, overflow) = (positions - 1).multipliedReportingOverflow(by: hop)
    let whole = overflow ? Limits.extent : min(Limits.extent, size + distance)
    guard let length = call.optionalInteger("length") else {
      guard whole > 2 * padded else {
        throw TypingError(
          "one position has no numbers between the middles of the first and the last; length says how many")
      }
      range = padded..<whole - padded
      return
    }
    guard (1...Limits.extent).contains(length) else {
      throw TypingError("the length must lie in 1…\(Limits.extent); it is \(length)")
    }
    range = padded..<padded + length
  }

  /// Hops of a stretch.
  var hops: Int { (size + hop - 1) / hop }
  /// Numbers of all stretches, the last one to the end of its last hop.
  var all: Int { (positions - 1 + hops) * hop }
  /// The numbers of the result that a stretch has.
  var covered: Range<Int> {
    let end = size + (positions - 1) * hop
    return min(range.lowerBound, end)..<min(range.upperBound, end)
  }
  var weights: [Double] { SpectrumWindow.weights(window, windowSize, in: size) }

  /// The factors of the numbers that are covered: 1 over the sum of the squares of the windows.
  func factors() throws(TypingError) -> [Double] {
    var sums = [Double](repeating: 0, count: all)
    let squares = weights.map { $0 * $0 }
    for position in 0..<positions {
      for (place, square) in squares.enumerated() { sums[position * hop + place] += square }
    }
    if let place = covered.first(where: { sums[$0] < 1e-11 }) {
      throw TypingError(
        "number \(place - range.lowerBound) of the result lies under no window: a smaller hop, padding, or another window "
          + "makes all of them certain")
    }
    return covered.map { 1 / sums[$0] }
  }
}

extension GraphAssembler {
  mutating func inverseSpectrum(_ call: Call) throws(TypingError) -> ValueID {
    let x = call.value("x")
    guard let shape = shape(of: x) else { return forward(nil) }
    let overlap = try SpectrumOverlap(call, shape, self)
    let (size, positions, hops) = (overlap.size, overlap.positions, overlap.hops)
    let front = Array(shape.fixed.dropLast(3))
    let before = front.reduce(1, *)
    let bins = size / 2 + 1
    // Bins but the first, and the middle one, stand for two.
    let counts = array(
      "times that bins of \(size) count in columns", [bins, 1],
      (0..<bins).map { $0 == 0 || 2 * $0 == size ? 1 : 2 })
    let rows = Formula(.reshape([before, 2, bins, positions]), Formula(x)) * Formula(counts)
    let transform = FourierStages(
      size: size, isInverse: true, makesParts: false, taken: bins, made: size)
    let numbers = try transformed(rows.value(in: &self), transform, before: before, behind: positions)
    let window = array(
      "\(overlap.window) window of \(overlap.windowSize) in \(size), in columns", [size, 1], overlap.weights)
    var y = try Formula(.reshape([before, size, positions]), Formula(numbers) * Formula(window)).value(
      in: &self)
    if hops * overlap.hop > size {
      y = try apply(.pad(axis: 1, before: 0, after: hops * overlap.hop - size), y)
    }
    y = try apply(.reshape([before, hops, overlap.hop, positions]), y)
    y = try apply(.pad(axis: 2, before: 0, after: hops), apply(.transpose([0, 1, 3, 2]), y))
    let length = positions + hops - 1
    y = try apply(.reshape([before, hops * (length + 1), overlap.hop]), y)
    y = try apply(.slice(axis: 1, start: 0, count: hops * length), y)
    y = try apply(.sum(axis: 1), apply(.reshape([before, hops, length, overlap.hop]), y))
    y = try apply(.reshape([before, overlap.all]), y)
    let (range, covered) = (overlap.range, overlap.covered)
    if covered.isEmpty { return try Formula(.broadcast(front + [range.count]), 0).value(in: &self) }
    y = try apply(.slice(axis: 1, start: covered.lowerBound, count: covered.count), y)
    let scale = try overlap.factors()
    let factors = array(
      "1 / overlap of \(positions) \(overlap.window) windows of \(overlap.windowSize) in \(size), \(overlap.hop) apart, "
        + "\(covered.lowerBound) to \(covered.upperBound)", [covered.count], scale)
    y = try (Formula(y) * Formula(factors)).value(in: &self)
    if range.count > covered.count {
      y = try apply(.pad(axis: 1, before: 0, after: range.count - covered.count), y)
    }
    return try apply(.reshape(front + [range.count]), y)
  }
}
