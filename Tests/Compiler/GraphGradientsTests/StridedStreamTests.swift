// SPDX-License-Identifier: Apache-2.0

import GradientEquipment
import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// Stretches of time with strides, up and down, as streams: the same numbers, frame by frame.
@Suite struct StridedStreamTests {
  static let networks = [
    // The last of three frames that are read comes with the first of the next two.
    StridedNetwork(
      lines:
        "y = conv1d(pad(x, axis: 1, before: 2, after: 0), 'k', 'b', axis: 1, stride: 2, padding: 'valid')",
      hop: 2, latency: 0),
    StridedNetwork(
      lines:
        "y = conv1d(pad(x, axis: 1, before: 1, after: 1), 'k', 'b', axis: 1, stride: 2, padding: 'valid')",
      hop: 2, latency: 1),
    StridedNetwork(
      lines: "y = maximum(windows(x, axis: 1, size: 4, hop: 4, dilation: 1), axis: 2)", hop: 4, latency: 3),
    StridedNetwork(lines: "y = sum(reshape(x, shape: [2, 96, 3]), axis: 2)", hop: 3, latency: 2),
    StridedNetwork(lines: "y = gather(x, 'odd', axis: 1)", hop: 2, latency: 1),
    // Down and up again, with zeros in between or the same number twice.
    StridedNetwork(
      lines: "y = \(StridedNetwork.up("gather(x, 'even', axis: 1)", 144, 2))", hop: 1, latency: 0),
    StridedNetwork(
      lines:
        "y = reshape(broadcast(reshape(tanh(gather(x, 'even', axis: 1)), shape: [2, 144, 1]), shape: [2, 144, 2]), "
        + "shape: [2, 288])", hop: 1, latency: 0),
    StridedNetwork(lines: "y = gather(gather(x, 'odd', axis: 1), 'twice', axis: 1)", hop: 1, latency: 1),
    // Parts of a frame that become frames, the first one of zeros.
    StridedNetwork(
      lines:
        "a = pad(reshape(sum(reshape(x, shape: [2, 96, 3]), axis: 2), shape: [2, 96, 1]), axis: 2, before: 1, after: 1)\n"
        + "y = reshape(a, shape: [2, 288])", hop: 1, latency: 2),
  ]

  /// - Parameter end: frames at the end that know of zeros behind it within the network.
  private func compare(_ network: StridedNetwork, seed: UInt64, end: Int) throws {
    let steps = try network.graph()
    let stream = try steps.streamed(0, axis: 1).graph.aligned()
    if let latency = network.latency { #expect(stream.latency == latency) }
    var random = SplitMix(seed: seed)
    // A stretch begins with the silence that the stream has gone through.
    let (silence, sound) = (stream.prewarm, StridedNetwork.frames - stream.prewarm)
    let rows = (0..<2).map { _ in (0..<sound).map { _ in random.float(-1, 1) } }
    let given: [Float] = rows.map { [Float](repeating: 0, count: silence) + $0 }.reduce([], +)
    let whole = ReferenceInterpreter(steps).run(inputs: [given], frames: 1).outputs[0]
    let made = ReferenceInterpreter(stream).run(inputs: rows, frames: sound).outputs
    let count = whole.count / made.count
    let compared = min(sound - stream.latency, count * network.hop) - end
    try #require(compared > StridedNetwork.frames / 3, "\(network.lines)")
    for (channel, row) in made.enumerated() {
      for frame in 0..<compared {
        let wanted = whole[channel * count + frame / network.hop].value
        let found = row[frame + stream.latency].value
        guard abs(found - wanted) > 1e-6 * max(1, abs(wanted)) else { continue }
        Issue.record(
          "seed \(seed), channel \(channel), frame \(frame): \(found), not \(wanted)\n\(network.lines)")
        return
      }
    }
  }

  @Test(arguments: networks) func computesWhatTheStretchDoes(network: StridedNetwork) throws {
    try compare(network, seed: 5, end: 0)
  }

  @Test(arguments: 0..<200) func computesWhatRandomStretchesDo(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let network = StridedNetwork(random: &random)
    try compare(network, seed: UInt64(seed), end: 64)
  }
}
