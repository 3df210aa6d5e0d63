// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import TestEquipment

/// A network over 288 frames of two channels, x [2, 288], with strides along them.
package struct StridedNetwork: Sendable {
  package static let frames = 288

  /// They end with y.
  package var lines: String
  /// The frames that one of y stands for.
  package var hop: Int
  /// How many frames late the stream is; nil where it may be any.
  package var latency: Int?

  package init(lines: String, hop: Int, latency: Int? = nil) {
    (self.lines, self.hop, self.latency) = (lines, hop, latency)
  }

  package init(random: inout SplitMix) { self = RandomLayers(&random).network }

  /// A value of so many frames with zeros between them.
  package static func up(_ value: String, _ count: Int, _ by: Int) -> String {
    let apart = "pad(reshape(\(value), shape: [2, \(count), 1]), axis: 2, before: 0, after: \(by - 1))"
    return "reshape(\(apart), shape: [2, \(count * by)])"
  }

  private static func list(_ positions: [Int]) -> String {
    "[\(positions.count)] = [\(positions.map(String.init).joined(separator: ", "))]"
  }

  package func graph() throws -> Graph {
    try Graph(
      parsing: """
        graph "x" step 48000
        input x [2, \(Self.frames)]
        weights "k" [2, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        weights "b" [2] = [0.7, -0.4]
        weights "h0" [2] = [0.3, -0.9]
        weights "even" \(Self.list((0..<144).map { 2 * $0 }))
        weights "odd" \(Self.list((0..<144).map { 2 * $0 + 1 }))
        weights "twice" \(Self.list((0..<288).map { $0 / 2 }))
        weights "w" [8, 2] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5, 0.1, 0.2, -0.3, 0.4]
        weights "u" [8, 2] = [0.5, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.6, -0.3, 0.4, 0.5, 0.1, 0.7, -0.3, 0.4]
        \(lines.replacing("'", with: "\""))
        output y = y
        """)
  }
}

/// Layers of two channels at random, down to a twelfth of the frames, and in half of the networks up again.
private struct RandomLayers {
  private var lines: [String] = []
  private var count = StridedNetwork.frames
  private var hop = 1
  private var value = "x"
  /// Values by their hops, to add to.
  private var skips: [(value: String, count: Int, hop: Int)] = []

  var network: StridedNetwork {
    StridedNetwork(lines: (lines + ["y = \(value) + 0"]).joined(separator: "\n"), hop: hop)
  }

  init(_ random: inout SplitMix) {
    for _ in 0..<Int.random(in: 3...9, using: &random) {
      add(&random)
      if random.chance() { skips.append((value, count, hop)) }
    }
    guard random.chance() else { return }
    while hop > 1 {
      climb(by: hop.isMultiple(of: 3) ? 3 : 2, &random)
      meet(&random)
    }
  }

  private mutating func line(_ text: String) {
    let name = "v\(lines.count)"
    lines.append("\(name) = \(text)")
    value = name
  }

  private mutating func add(_ random: inout SplitMix) {
    let stride = Int.random(in: 2...3, using: &random)
    let (before, after) = (Int.random(in: 0...3, using: &random), Int.random(in: 0...2, using: &random))
    switch Int.random(in: 0...8, using: &random) {
    case 0: line("tanh(\(value)) * 0.9 + 0.1")
    case 1:
      let dilation = Int.random(in: 1...2, using: &random)
      line("conv1d(\(padded(before, after)), 'k', 'b', axis: 1, dilation: \(dilation), padding: 'valid')")
      count += before + after - 2 * dilation
    case 2, 3:
      guard hop * stride <= 12 else { return }
      line("conv1d(\(padded(before, after)), 'k', 'b', axis: 1, stride: \(stride), padding: 'valid')")
      (count, hop) = ((count + before + after - 3) / stride + 1, hop * stride)
    case 4:
      guard hop * stride <= 12 else { return }
      let size = Int.random(in: 1...4, using: &random)
      line("maximum(windows(\(value), axis: 1, size: \(size), hop: \(stride), dilation: 1), axis: 2)")
      (count, hop) = ((count - size) / stride + 1, hop * stride)
    case 5:
      guard hop * stride <= 12 else { return }
      let whole = count / stride
      let cut = "slice(\(value), axis: 1, start: \(count - whole * stride), count: \(whole * stride))"
      line("sum(reshape(\(cut), shape: [2, \(whole), \(stride)]), axis: 2) * 0.5")
      (count, hop) = (whole, hop * stride)
    case 6:
      let factors = [2, 3].filter { hop.isMultiple(of: $0) }
      guard !factors.isEmpty else { return }
      climb(by: random.pick(factors), &random)
    case 7: meet(&random)
    default:
      let (turned, state) = ("t\(lines.count)", "h\(lines.count)")
      lines.append("\(turned) = transpose(\(value), order: [1, 0])")
      lines.append(
        random.chance()
          ? "\(state) = 0.7 * shifted(\(state), axis: 0, by: 1) + \(turned)"
          : "\(state) = lstm(\(turned), 'w', 'u', axis: 1, along: 'positions', initial: 'h0')")
      line("transpose(\(state), order: [1, 0])")
    }
  }

  private func padded(_ before: Int, _ after: Int) -> String {
    "pad(\(value), axis: 1, before: \(before), after: \(after))"
  }

  /// A transposed convolution of a stride, or each frame so many times.
  private mutating func climb(by factor: Int, _ random: inout SplitMix) {
    hop /= factor
    if random.chance() {
      line(StridedNetwork.up(value, count, factor))
      line("slice(\(value), axis: 1, start: 0, count: \((count - 1) * factor + 1))")
      count = (count - 1) * factor + 1
      let (before, after) = (Int.random(in: 0...2, using: &random), Int.random(in: 0...2, using: &random))
      line("conv1d(\(padded(before, after)), 'k', 'b', axis: 1, padding: 'valid')")
      count += before + after - 2
    } else {
      let many = "broadcast(reshape(\(value), shape: [2, \(count), 1]), shape: [2, \(count), \(factor)])"
      count *= factor
      line("reshape(\(many), shape: [2, \(count)])")
    }
  }

  /// Adds an earlier value of the same hop, both cut to the same frames.
  private mutating func meet(_ random: inout SplitMix) {
    guard let skip = skips.last(where: { $0.hop == hop }) else { return }
    let common = min(count, skip.count)
    func cut(_ value: String, _ count: Int) -> String {
      let start = random.chance() ? 0 : min(2, count - common)
      return "slice(\(value), axis: 1, start: \(start), count: \(common))"
    }
    line("\(cut(value, count)) + \(cut(skip.value, skip.count))")
    count = common
  }
}
