// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// A stretch of time that becomes a stream computes the same, frame by frame.
@Suite struct StreamedTests {
  /// Networks of x [2, 48], 48 frames of two channels, and how many frames late the stream is.
  static let networks: [(lines: String, latency: Int)] = [
    ("y = tanh(x) + 0.5", 0),
    ("y = conv1d(pad(x, axis: 1, before: 2, after: 0), 'k', axis: 1, padding: 'valid')", 0),
    ("y = conv1d(pad(x, axis: 1, before: 6, after: 0), 'k', axis: 1, dilation: 3, padding: 'valid')", 0),
    ("y = conv1d(pad(x, axis: 1, before: 1, after: 1), 'k', axis: 1, padding: 'valid') * x", 1),
    // The bias of the first layer is none of the zeros that the second one sees.
    (
      "a = tanh(conv1d(pad(x, axis: 1, before: 1, after: 1), 'k', 'b', axis: 1, padding: 'valid'))\n"
        + "y = conv1d(pad(a, axis: 1, before: 1, after: 1), 'k', axis: 1, padding: 'valid') + x", 2
    ),
    ("y = conv1d(pad(exp(x), axis: 1, before: 4, after: 0), 'k', 'b', axis: 1, padding: 'valid')", 0),
    ("y = conv1d(concatenate(['z', x], axis: 1), 'k', axis: 1, padding: 'valid')", 0),
    ("y = conv1d(pad(x, axis: 1, before: 2, after: 0), 'g', axis: 1, groups: 2, padding: 'valid')", 0),
    (
      "y = maximum(windows(pad(x, axis: 1, before: 1, after: 1), axis: 1, size: 3, hop: 1, dilation: 1), axis: 2)",
      1
    ),
    ("y = shifted(x, axis: 1, by: 3) - shifted(x, axis: 1, by: -2)", 2),
    // Rows of frames, as recurrent layers have them, and back.
    (
      "t = transpose(x, order: [1, 0])\nh = tanh(t + dense(shifted(h, axis: 0, by: 1), 'm', axis: 1))\n"
        + "y = transpose(h, order: [1, 0])", 0
    ),
    (
      "t = transpose(x, order: [1, 0])\nh = lstm(t, 'w', 'u', axis: 1, along: 'positions', initial: 'h0')\n"
        + "y = transpose(h, order: [1, 0])", 0
    ),
    // A recurrent layer behind one that looks ahead begins with the first frame.
    (
      "a = conv1d(pad(x, axis: 1, before: 1, after: 1), 'k', 'b', axis: 1, padding: 'valid')\nt = transpose(a, order: [1, 0])\n"
        + "h = 0.9 * shifted(h, axis: 0, by: 1) + t + 1\ny = transpose(h, order: [1, 0])", 1
    ),
    (
      "a = conv1d(pad(x, axis: 1, before: 1, after: 1), 'k', 'b', axis: 1, padding: 'valid')\nt = transpose(a, order: [1, 0])\n"
        + "h = lstm(t, 'w', 'u', axis: 1, along: 'positions', initial: 'h0')\ny = transpose(h, order: [1, 0])",
      1
    ),
    ("y = contraction('m', transpose(x, order: [1, 0]))", 0),
    ("y = transpose(contraction(transpose(x, order: [1, 0]), 'm'), order: [1, 0])", 0),
    (
      "y = transpose(gather('m', abs(slice(x, axis: 0, start: 0, count: 1)) * 2, axis: 0), order: [0, 2, 1])",
      0
    ),
    ("y = gather(x, 'i', axis: 0)", 0),
    ("y = reshape(x, shape: [2, 1, 48]) + 1", 0),
    // Two dimensions, of which the second one is time: [1, 2, 48], a kernel of 2 x 3.
    (
      "c = pad(pad(reshape(x, shape: [1, 2, 48]), axis: 2, before: 2, after: 0), axis: 1, before: 1, after: 0)\n"
        + "y = conv2d(c, 'p', axis: 1, padding: 'valid')", 0
    ),
    (
      "c = transpose(reshape(x, shape: [1, 2, 48]), order: [0, 2, 1])\n"
        + "d = conv2d(pad(c, axis: 1, before: 1, after: 1), 'q', axis: 1, padding: 'valid')\ny = transpose(d, order: [0, 2, 1])",
      1
    ),
    // Fewer frames come out: the last one belongs to the last one that goes in.
    ("y = conv1d(x, 'k', axis: 1, padding: 'valid')", 0),
    (
      "a = conv1d(x, 'k', axis: 1, padding: 'valid')\nb = conv1d(a, 'k', axis: 1, dilation: 2, padding: 'valid')\n"
        + "y = b + slice(a, axis: 1, start: 4, count: 42)", 0
    ),
    ("y = slice(x, axis: 1, start: 4, count: 44) - slice(x, axis: 1, start: 0, count: 44)", 0),
    // Layers of the silence before, with zeros behind it, and recurrent layers that begin there.
    (
      "a = tanh(conv1d(x, 'k', 'b', axis: 1, padding: 'valid'))\n"
        + "y = conv1d(pad(a, axis: 1, before: 1, after: 1), 'k', 'b', axis: 1, padding: 'valid')", 1
    ),
    (
      "a = conv1d(pad(x, axis: 1, before: 5, after: 0), 'k', 'b', axis: 1, padding: 'valid')\n"
        + "y = conv1d(tanh(a), 'k', 'b', axis: 1, dilation: 4, padding: 'valid')", 3
    ),
    (
      "a = conv1d(x, 'k', 'b', axis: 1, padding: 'valid')\nt = transpose(a, order: [1, 0])\n"
        + "h = lstm(t, 'w', 'u', axis: 1, along: 'positions', initial: 'h0')\ny = transpose(h, order: [1, 0])",
      0
    ),
    ("y = slice(x, axis: 1, start: 0, count: 45)", 0),
    // What stands before the first frame is none of the stream's own zeros, and is put into it.
    (
      "p = concatenate([broadcast(-9, shape: [2, 1]), x, broadcast(-9, shape: [2, 1])], axis: 1)\n"
        + "y = maximum(windows(p, axis: 1, size: 3, hop: 1, dilation: 1), axis: 2)", 2
    ),
  ]

  private func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "x" step 48000
        input x [2, 48]
        input other [2]
        weights "k" [2, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        weights "g" [4, 1, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        weights "p" [1, 1, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6]
        weights "q" [2, 1, 3, 1] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6]
        weights "i" [3] = [1, 0, 1]
        weights "b" [2] = [0.7, -0.4]
        weights "h0" [2] = [0.3, -0.9]
        weights "z" [2, 2] = [0, 0, 0, 0]
        weights "m" [2, 2] = [0.5, -0.25, 0.125, 0.5]
        weights "w" [8, 2] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5, 0.1, 0.2, -0.3, 0.4]
        weights "u" [8, 2] = [0.5, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.6, -0.3, 0.4, 0.5, 0.1, 0.7, -0.3, 0.4]
        \(lines.replacing("'", with: "\""))
        output y = y
        """)
  }

  @Test(arguments: networks) func computesWhatTheStretchDoes(lines: String, latency: Int) throws {
    let steps = try graph(lines)
    let stream = try steps.streamed(0, axis: 1).graph.aligned()
    try #require(stream.clock == .stream && stream.latency == latency)
    var random = SplitMix(seed: 5)
    // A stretch begins with the silence that the stream has gone through.
    let (silence, sound) = (stream.prewarm, 48 - stream.prewarm)
    let rows = (0..<2).map { _ in (0..<sound).map { _ in random.float(-1, 1) } }
    let given: [Float] = rows.map { [Float](repeating: 0, count: silence) + $0 }.reduce([], +)
    let whole = ReferenceInterpreter(steps).run(
      inputs: [given, [0, 0]], frames: 1
    ).outputs[0]
    let made = ReferenceInterpreter(stream).run(
      inputs: rows.map { $0 + [Float](repeating: 0, count: latency) }, frames: sound + latency
    ).outputs
    let frames = steps.shape(of: steps.outputs[0].value).fixed.last!
    try #require(whole.count == made.count * frames)
    for (channel, row) in made.enumerated() {
      // What zeros behind the end make of a layer within is not what the sound's silence makes of it.
      for frame in 0..<min(sound, frames) - latency {
        let (found, wanted) = (row[frame + latency].value, whole[channel * frames + frame].value)
        #expect(
          abs(found - wanted) < 1e-6, "channel \(channel), frame \(frame): \(found), not \(wanted)")
      }
    }
  }

  @Test(arguments: [
    ("y = x - reshape(sum(x, axis: 1), shape: [2, 1])", "sum over all frames, those to come among them"),
    (
      "y = reshape(broadcast(reshape(x, shape: [2, 48, 1]), shape: [2, 48, 2]), shape: [2, 96])",
      "2 frames for one that comes in, at 'y'"
    ),
    (
      "a = maximum(windows(x, axis: 1, size: 3, hop: 3, dilation: 1), axis: 2)\n"
        + "y = reshape(broadcast(reshape(a, shape: [2, 16, 1]), shape: [2, 16, 2]), shape: [2, 32])",
      "2 frames for 3 that come in, at 'y'"
    ),
    (
      "y = slice(x, axis: 1, start: 0, count: 24) + conv1d(pad(x, axis: 1, before: 1, after: 0), 'k', axis: 1, "
        + "stride: 2, padding: 'valid')", "frames 1 apart beside frames 2 apart, at 'y'"
    ),
    ("y = conv1d(x, 'k', axis: 1, stride: 47, padding: 'valid')", "one frame of all, at 'y'"),
    ("y = gather(x, 'i', axis: 1)", "frames that are picked by their numbers, at 'y'"),
    (
      "y = contraction(transpose(x, order: [1, 0]), transpose(x, order: [1, 0]))",
      "each frame beside each other one"
    ),
    ("y = reshape(x, shape: [96])", "frames that become one axis with others"),
    ("y = slice(x, axis: 1, start: 47, count: 1)", "the frame 47 alone"),
    ("y = concatenate([x, x], axis: 1)", "frames behind others than zeros"),
    (
      "y = concatenate([broadcast(1, shape: [2, 1]), broadcast(2, shape: [2, 1]), x], axis: 1)",
      "frames behind others than zeros"
    ),
    ("y = x * reshape(other, shape: [2, 1])", "the input 'other' as well"),
    ("y = delay(x, frames: 1)", "numbers that are remembered from step to step"),
    (
      "t = transpose(x, order: [1, 0])\ns = t + 0.5 * shifted(s, axis: 0, by: -1)\ny = transpose(s, order: [1, 0])",
      "a recurrent layer that begins with the last frame"
    ),
    ("s = x + 0.5 * shifted(s, axis: 0, by: 1)\ny = s", "a recurrent layer along another axis than time"),
    ("y = dense(x, 'long', axis: 1)", "dense over all frames"),
    (
      "y = x * conv1d(x, 'whole', axis: 1, padding: 'valid')",
      "one frame beside all others, which knows all of them"
    ),
    ("y = conv1d(x + reshape(other, shape: [2, 1]), 'k', axis: 1)", "the input 'other' as well"),
    ("y = cumsum(x, axis: 1)", "32 zeros before 16 frames, which a longer stretch may have otherwise"),
  ]) func refuses(lines: String, reason: String) throws {
    let long = "weights \"long\" [1, 48] = [\([String](repeating: "1", count: 48).joined(separator: ", "))]\n"
    let ones = [String](repeating: "1", count: 4 * 48).joined(separator: ", ")
    let whole = "weights \"whole\" [2, 2, 48] = [\(ones)]\n"
    let steps = try graph((lines.contains("long") ? long : lines.contains("whole") ? whole : "") + lines)
    let error = #expect(throws: TypingError.self) { try steps.streamed(0, axis: 1) }
    #expect("\(error!)".hasPrefix(reason), "\(error!)")
  }

  @Test func whatIsRememberedIsSilence() throws {
    let stream = try graph(
      "y = conv1d(concatenate([reshape(other, shape: [2, 1]), x], axis: 1), 'k', axis: 1, padding: 'valid')"
    )
    .streamed(0, axis: 1, silencing: ["other"]).graph
    #expect(stream.inputs.map(\.name) == ["x"])
    let error = #expect(throws: TypingError.self) {
      try graph("y = x * reshape(other, shape: [2, 1])").streamed(0, axis: 1, silencing: ["other"])
    }
    #expect(
      "\(error!)".hasPrefix("the input 'other', as more than what is before the first frame"), "\(error!)")
    // At other places than the first frame it is not what a state begins with, either.
    #expect(throws: TypingError.self) {
      try graph("y = select(x > 0, reshape(other, shape: [2, 1]), x)")
        .streamed(0, axis: 1, silencing: ["other"])
    }
  }

  @Test func oneFrameTellsNothing() throws {
    let single = try Graph(
      parsing: "graph \"x\" step 48000\ninput x [2, 1]\ny = tanh(x)\noutput y = y\n")
    #expect(throws: TypingError("a stretch of one frame, which tells nothing of time")) {
      try single.streamed(0, axis: 1)
    }
  }
}
