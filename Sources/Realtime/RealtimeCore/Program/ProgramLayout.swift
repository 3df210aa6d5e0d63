// SPDX-License-Identifier: Apache-2.0

/// How a program and its contexts talk: ports, parameters, and the places in a workspace.
///
/// The compiler fills it in from its plan; an ahead-of-time program carries it as data.
public struct ProgramLayout: Hashable, Sendable {
  /// One input or output: `rows` planar rows of samples.
  ///
  /// In a program for streams a row holds one channel's frames. In a program that executes steps there is one
  /// row, and it holds `rowLength` numbers, the last axis contiguous.
  public struct Port: Hashable, Sendable {
    public var name: String
    /// The shape without the frames axis.
    public var shape: [Int]
    public var rows: Int
    /// Numbers in a row, or nil where a row is as long as the block.
    public var rowLength: Int?

    public init(name: String, shape: [Int], rows: Int, rowLength: Int?) {
      self.name = name
      self.shape = shape
      self.rows = rows
      self.rowLength = rowLength
    }
  }

  /// One thing that a user turns.
  public struct ParameterRange: Hashable, Sendable {
    public var name: String
    public var minimum: Float
    public var maximum: Float
    public var initial: Float
    public var unit: String
    /// The number of frames in which a change glides to its target; 0 steps.
    public var rampFrames: Int32

    public init(
      name: String, minimum: Float, maximum: Float, initial: Float, unit: String, rampFrames: Int32
    ) {
      self.name = name
      self.minimum = minimum
      self.maximum = maximum
      self.initial = initial
      self.unit = unit
      self.rampFrames = rampFrames
    }
  }

  public var inputs: [Port]
  public var outputs: [Port]
  public var parameters: [ParameterRange]
  /// Whether the program executes frames of a stream; otherwise one execute is one step.
  public var executesStream: Bool
  /// The latency of the output, in frames.
  public var latency: Int

  /// Bytes of a workspace; it is aligned to a page.
  public var workspaceSize: Int
  /// The offset of the absolute stream position, an Int64 of frames (or steps). Native code reads it; the context
  /// moves it on after each execute.
  public var positionOffset: Int
  /// The offset of an Int32 that is not 0 when values of stepped parameters have to be computed again. The context
  /// sets it, native code clears it.
  public var blockStaleOffset: Int
  /// The offset of an Int32 that is not 0 while a parameter moves, and until values of settled parameters have been
  /// computed again. The context sets it when a target changes; native code clears it when the last ramp has landed.
  public var settledStaleOffset: Int
  /// The offset of the `RampSpan`. The context sets it when a target changes; native code, where a ramp lands.
  public var rampSpanOffset: Int
  /// The offset of the first parameter's `RampState`; they follow one another.
  public var rampsOffset: Int
  /// The delays by a signal, in the order of their counts.
  public var signalDelays: [SignalDelay]
  /// The offset of the first delay's count, an Int64; they follow one another. Native code adds to them, and `reset`
  /// clears them.
  public var countsOffset: Int
  /// The bytes that `reset` clears, or returns to what they were after `prewarm`: delay lines and histories.
  public var stateRange: Range<Int>
  /// The histories that can be carried over into another program's; only of programs for streams. It may be
  /// empty, and then nothing is carried.
  public var histories: [History]
  /// Frames, or steps, that run in silence before the first one; what is remembered of them is what contexts begin
  /// with.
  public var prewarm: Int
  /// Whether it makes noise, which depends on the place in the stream and on nothing that is remembered.
  public var makesNoise: Bool
  /// Identifies the compiler's conventions; a context refuses a program of another version.
  public var version: Int

  public static let currentVersion = 6

  public init(
    inputs: [Port], outputs: [Port], parameters: [ParameterRange], executesStream: Bool, latency: Int,
    workspaceSize: Int, positionOffset: Int, blockStaleOffset: Int, settledStaleOffset: Int,
    rampSpanOffset: Int, rampsOffset: Int, signalDelays: [SignalDelay] = [], countsOffset: Int = 0,
    stateRange: Range<Int>, histories: [History] = [], prewarm: Int = 0,
    makesNoise: Bool = false, version: Int = ProgramLayout.currentVersion
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.parameters = parameters
    self.executesStream = executesStream
    self.latency = latency
    self.workspaceSize = workspaceSize
    self.positionOffset = positionOffset
    self.blockStaleOffset = blockStaleOffset
    self.settledStaleOffset = settledStaleOffset
    self.rampSpanOffset = rampSpanOffset
    self.rampsOffset = rampsOffset
    self.signalDelays = signalDelays
    self.countsOffset = countsOffset
    self.stateRange = stateRange
    self.histories = histories
    self.prewarm = prewarm
    self.makesNoise = makesNoise
    self.version = version
  }

  /// A delay by a signal. It keeps a fixed number of frames: where the signal asks for others, the nearest are taken,
  /// and the samples are counted.
  public struct SignalDelay: Hashable, Sendable {
    /// The value that it is, or goes into, as its author calls it; empty where nothing has a name.
    public var name: String
    /// The place in the model's text, counted from 1; nil where it is in no text.
    public var line, column: Int?
    /// The text's name where it is not the model's own: a model can use others.
    public var file: String?
    /// Frames; the signal may ask for anything between them.
    public var range: ClosedRange<Int>

    public init(
      name: String, line: Int? = nil, column: Int? = nil, file: String? = nil, range: ClosedRange<Int>
    ) {
      self.name = name
      self.line = line
      self.column = column
      self.file = file
      self.range = range
    }
  }
}
