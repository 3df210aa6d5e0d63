// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A graph of steps of which each is a stretch of time, as a stream: the axis of time becomes the frames.
  ///
  ///     x [1, 2, 480] ──▶ pad, conv1d, 3 wide ──▶ relu ──▶ y [1, 8, 480]
  /// →
  ///     x [2, frames] ──▶ conv1d, causal ──▶ relu ──▶ lookahead 1 ──▶ y [8, frames]        latency 1
  ///
  /// The opposite of `bound`: each number of the stream is that of the whole stretch, as if that had begun with the first
  /// frame and had no end. What a frame needs of later ones becomes latency. Where outputs have fewer frames than the input,
  /// as of convolutions without padding, a stretch begins with as much silence, through which the stream warms up.
  ///
  /// Behind a stride frames are further apart. All that is computed of them stands there at each frame of the stream, for the
  /// stretch that would have begun with a later one as well. An output that ends so holds each frame until the next.
  ///
  /// - Parameters:
  ///   - port: the input that becomes a stream.
  ///   - axis: the one of time, of 2 frames or more.
  ///   - silent: inputs that are zero for ever: what the network would remember from stretch to stretch.
  /// - Returns: the stream, and a number of frames of which a stretch has to have a multiple so that all strides end with it.
  /// - Throws: `TypingError` with what has no frames: something over all of them, or over one alone.
  package func streamed(
    _ port: Int, axis: Int, silencing silent: Set<String> = []
  ) throws(TypingError) -> (graph: Graph, period: Int) {
    precondition(clock == .step && inputs[port].type.shape.fixed.indices.contains(axis))
    var streaming = try Streaming(canonical(), port: port, axis: axis, silent: silent)
    let result = try streaming.graph()
    if let violation = Verifier.violations(in: result).first { throw TypingError(violation.message) }
    return (result, streaming.period)
  }
}
