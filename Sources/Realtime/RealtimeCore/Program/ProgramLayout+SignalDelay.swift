// SPDX-License-Identifier: Apache-2.0

extension ProgramLayout {
  /// A delay by a signal. It keeps a fixed number of frames: where the signal asks for others, the nearest are taken,
  /// and the samples are counted.
  public struct SignalDelay: Hashable, Sendable {
    /// The value that it is, or goes into, as its author calls it; empty where nothing has a name.
    public var name: String
    /// Where it is written, counted from 1; nil where it is in no text.
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
