// SPDX-License-Identifier: Apache-2.0

/// Automation: parameters that glide along a given line.
///
///     value     ●━━━━╮ 0.2 at frame 500
///                      ╲
///                        ╲
///                          ●━━━━  -0.1 at frame 1000
///
///     context.execute(frames: 501, …)                     // frames 0…500
///     context.glide(gain, to: -0.1, over: 500)            // lands at frame 1000
extension Context {
  /// Lets a parameter glide to a value, beginning at the next frame to be executed, instead of over its own ramp.
  ///
  /// The value moves by equal steps and is `value` exactly at the last of the frames; over 0 frames it jumps. It is a
  /// function of the absolute frame: blocks do not matter, as long as the call comes between the same two frames. A
  /// parameter that steps has no ramp, and jumps. It belongs between executes, on the thread that executes; what other
  /// threads set afterwards goes on from where the parameter is.
  ///
  /// - Parameters:
  ///   - parameter: The position among `parameters`.
  ///   - value: Where it goes; it is clamped to the range, and a NaN is ignored.
  ///   - frames: 0 to `longestGlide`.
  @_noLocks public mutating func glide(_ parameter: Int, to value: Float, over frames: Int) {
    let count = unsafe wiring.cells.count
    let isThere = parameter >= 0 && parameter < count
    precondition(isThere, "a context has no parameter at that position")
    precondition(
      frames >= 0 && frames <= Self.longestGlide, "a glide lasts 0 frames to Context.longestGlide")
    unsafe wiring.glide(parameter, to: value, over: Int32(truncatingIfNeeded: frames))
  }

  /// The most frames of one glide; a longer line is several.
  public static var longestGlide: Int { @_noLocks get { 1 << 22 } }
}
