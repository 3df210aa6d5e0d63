// SPDX-License-Identifier: Apache-2.0

extension ProgramLayout {
  /// The earlier frames of a value that a program for streams keeps: a ring for each row, or one of columns, or nothing but
  /// the past.
  ///
  ///     byte       offset              + pitch
  ///     row        0                   1                   …
  ///     slots      0 … capacity - 1 | 0 … repeated - 1 | room
  ///
  /// Or, in columns, the numbers of a frame side by side:
  ///
  ///     byte       offset              + framePitch
  ///     slot       0                   1                   …
  ///     rows       0 … rows - 1 | room
  ///
  /// Frame f of the stream stands in slot f modulo `capacity`, and the first slots once more behind the last one. What
  /// moves on has the frame before the position in its last slot. As many frames before the position as `reach` says are
  /// whole; in the slots of others anything may stand.
  public struct History: Hashable, Sendable {
    /// Stays the same while an author edits something else.
    public var name: String
    /// The byte of the workspace at which row 0 begins.
    public var offset: Int
    public var rows: Int
    /// Bytes from one row to the next.
    public var pitch: Int
    /// Bytes from one frame to the next.
    public var framePitch: Int
    /// Frames of a ring.
    public var capacity: Int
    /// Frames that stand behind the ring once more.
    public var repeated: Int
    /// Whether native code moves the frames on, so that the latest one is always in the last slot.
    public var movesOn: Bool
    /// How many frames before the position are whole, at most `capacity - repeated`.
    public var reach: Int
    /// How far back the program looks, at most `reach`.
    public var length: Int
    /// The number that it remembers of each frame from the first one of the silence on, where it is the same for ever:
    /// the position says all of it, and no other program's past is needed.
    public var constant: Float?

    public init(
      name: String, offset: Int, rows: Int, pitch: Int, framePitch: Int = MemoryLayout<Float>.stride,
      capacity: Int, repeated: Int, movesOn: Bool = false, reach: Int, length: Int, constant: Float? = nil
    ) {
      self.name = name
      self.offset = offset
      self.rows = rows
      self.pitch = pitch
      self.framePitch = framePitch
      self.capacity = capacity
      self.repeated = repeated
      self.movesOn = movesOn
      self.reach = reach
      self.length = length
      self.constant = constant
    }
  }
}
