// SPDX-License-Identifier: Apache-2.0

extension GraphAssembler {
  /// A delay that begins with an array in place of zeros.
  ///
  ///     delay(x, 3, initial: w)            w [2]           w     w     w     x 0   x 1   …
  ///                                        w [2, 3]        w 0   w 1   w 2   x 0   x 1   …
  ///
  /// It is composed: what says whether frames have come is a delay of 1 by as many frames, which is 0 until then; where
  /// each frame has an array of its own, a count of frames says which. In a program that takes another one's place, the
  /// position knows that they have come, whatever was counted.
  mutating func delay(
    _ x: ValueID, _ frames: Int, initial: ValueID
  ) throws(TypingError) -> ValueID {
    let late = try apply(.delay(frames), x)
    guard let shape = shape(of: late), let own = self.shape(of: initial) else { return forward(nil) }
    let begins = Shape(shape.fixed)
    guard own.frames == nil else {
      throw TypingError("a delay begins with what has no frames; this is \(own)")
    }
    let begun = Formula(.delay(frames), 1)
    if begins.broadcast(with: own) == begins {
      return try Formula.select(begun, Formula(late), Formula(initial)).value(in: &self)
    }
    guard own.fixed == shape.fixed + [frames] else {
      throw TypingError(
        "a delay of \(shape) by \(frames) begins with \(begins), or with \(Shape(shape.fixed + [frames])), whose last "
          + "axis goes frame by frame; this is \(own)")
    }
    guard frames < Tap.furthest else {
      throw TypingError(
        "a delay by \(frames) frames begins with one array for all; \(Tap.furthest - 1) have one each")
    }
    let count = Formula(Double(frames + 1))
    let frame = Formula(try recurrence(over: [literal(0)]) { .min($0 + 1, count) })
    let present = Formula(.gather(axis: shape.fixed.count), Formula(initial), frame - 1)
    return try Formula.select(begun, Formula(late), present).value(in: &self)
  }
}
