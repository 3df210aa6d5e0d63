// SPDX-License-Identifier: Apache-2.0

/// The limits of a graph: a model file comes from strangers and must not exhaust the machine.
package enum Limits {
  /// Nodes of a graph.
  package static let nodes = 65_536
  /// Numbers, names, operators and calls in all expressions of a model.
  package static let terms = 1 << 20
  /// Bytes of state: delay lines and histories.
  package static let stateBytes = 1 << 30
  /// Frames, or steps, of one delay: what the state has room for, beside the frames that are computed at a time.
  package static let delay = stateBytes / 4 - 128
  /// Frames, or steps, that run in silence before the first one: some 20 seconds of a stream.
  package static let prewarm = 1 << 20
  /// Operations of all these frames: some seconds, each time that a model is compiled.
  package static let warmingOperations = 1 << 37
  /// Rates of models, in hertz; audio files have whole rates, too.
  package static let sampleRates = 1...768_000
  /// Bytes of all values of a graph at a time.
  package static let valueBytes = 1 << 30
  /// Bytes of a workspace: state, values and copies as they stand in memory.
  package static let workspaceBytes = 2 << 30
  /// Vector instructions of a graph, roughly: a minute of compiling.
  package static let cost = 250_000
  /// Rows of all inputs of a stream, or of all its outputs: four times the channels of the largest sound file.
  package static let rows = 4096
  /// Positions along one axis, which floats count exactly: numbers are looked up, and positions told, by floats.
  package static let extent = 1 << 24
  /// Numbers in one value, or rows of frames: its bytes are the most that all values may have.
  package static let elements = valueBytes / 4
  /// Numbers in all weights of a model and those that it uses: 4 GiB.
  package static let weights = 1 << 30
  /// Taps of all sounds of a model: half a GiB, which few bytes of a file may ask for.
  package static let taps = 1 << 27
  /// Partial sums of one sum.
  package static let ways = 16
  /// Terms of each of many results that are combined in vectors: of fewer, results are computed side by side.
  package static let fewestTermsInVectors = 2 * ways
  /// Levels of brackets in an expression, and of values in a file.
  package static let depth = 256
  /// Axes of a value.
  package static let rank = 8
}

extension Graph {
  /// Whether the graph is within the limits.
  ///
  /// A graph from a file is refused where it is not; a pass that makes one of another is undone.
  package var isWithinLimits: Bool {
    nodes.count <= Limits.nodes && stateBytes <= Limits.stateBytes && valueBytes <= Limits.valueBytes
      && cost <= Limits.cost
  }
}
