// SPDX-License-Identifier: Apache-2.0

extension ProgramLayout {
  /// The first contradiction in the layout, as a clause, or nil.
  ///
  /// A context writes through these offsets without looking, so a program is refused before it has one.
  var contradiction: String? {
    if let reason = placeContradiction { return reason }
    if !(0...Self.longestPrewarm).contains(prewarm) { return "it warms up for \(prewarm) frames" }
    for port in inputs + outputs {
      if port.rows < 0 || (port.rowLength ?? 0) < 0 { return "port '\(port.name)' has a negative extent" }
    }
    for parameter in parameters {
      if let reason = parameter.contradiction { return "parameter '\(parameter.name)' \(reason)" }
    }
    for history in histories {
      if let reason = history.contradiction(in: stateRange) { return "history '\(history.name)' \(reason)" }
    }
    return nil
  }

  /// The most frames of `prewarm`, which are the most of models: what comes from elsewhere must not keep a program from
  /// being made.
  package static var longestPrewarm: Int { 1 << 20 }

  private var placeContradiction: String? {
    let places = [
      ("the position", positionOffset, 8, 8),
      ("the flag of stepped parameters", blockStaleOffset, 4, 4),
      ("the flag of settled parameters", settledStaleOffset, 4, 4),
      ("the span of ramps", rampSpanOffset, MemoryLayout<RampSpan>.stride, 8),
      ("the ramps", rampsOffset, MemoryLayout<RampState>.stride * parameters.count, 4),
      ("the counts", countsOffset, MemoryLayout<Int64>.stride * signalDelays.count, 8),
      ("the state", stateRange.lowerBound, stateRange.count, 1),
    ]
    for (what, offset, size, alignment) in places {
      guard offset >= 0, offset <= workspaceSize, size <= workspaceSize - offset else {
        return "\(what) at byte \(offset) lies outside a workspace of \(workspaceSize) bytes"
      }
      guard offset.isMultiple(of: alignment) else {
        return "\(what) at byte \(offset) is not aligned to \(alignment) bytes"
      }
    }
    return nil
  }
}

extension ProgramLayout.ParameterRange {
  fileprivate var contradiction: String? {
    // A range whose width overflows would give a ramp an infinite step.
    guard minimum <= maximum, (maximum - minimum).isFinite else {
      return "has no range: minimum \(minimum), maximum \(maximum)"
    }
    guard minimum <= initial, initial <= maximum else {
      return "starts at \(initial), outside its range \(minimum) to \(maximum)"
    }
    guard rampFrames >= 0 else { return "ramps over \(rampFrames) frames" }
    return nil
  }
}

extension ProgramLayout.History {
  fileprivate func contradiction(in state: Range<Int>) -> String? {
    guard rows > 0, capacity > 0 else {
      return "is no ring: \(rows) rows of \(capacity) frames"
    }
    guard repeated >= 0, reach >= 0, reach <= capacity - repeated else {
      return "has \(reach) whole frames in a ring of \(capacity), \(repeated) of them repeated"
    }
    guard !movesOn || repeated == 0 else { return "moves on, and has \(repeated) frames twice" }
    guard length >= 0, length <= reach else {
      return "looks back \(length) frames, of which \(reach) are whole"
    }
    let number = MemoryLayout<Float>.stride
    let areRows = framePitch == number
    // Rows one after the other, or frames.
    let (inside, between, count) =
      areRows
      ? (capacity + repeated, pitch, rows)
      : (repeated == 0 && pitch == number ? rows : .max, framePitch, capacity)
    let (least, isTooLong) = inside.multipliedReportingOverflow(by: number)
    guard !isTooLong, between >= least, between.isMultiple(of: number) else {
      return "has rows \(pitch) bytes apart and frames \(framePitch) bytes, which overlap"
    }
    let (bytes, overflows) = between.multipliedReportingOverflow(by: count)
    guard offset >= state.lowerBound, offset.isMultiple(of: 4), !overflows,
      bytes <= state.upperBound - offset
    else {
      return "at byte \(offset) lies outside the state, bytes \(state.lowerBound) to \(state.upperBound)"
    }
    return nil
  }
}
