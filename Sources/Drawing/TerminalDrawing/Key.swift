// SPDX-License-Identifier: Apache-2.0

/// Something that was pressed, or pasted, in a terminal.
package struct Key: Hashable, Sendable {
  package enum Sign: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown
    case enter, backspace, delete, tab, escape
    /// A key with a control key, as the letter: `c` of ^C.
    case control(Character)
    /// A text that came at once, without the signs that move or end it.
    case pasted(String)
  }

  package let sign: Sign
  package var hasShift = false
  /// Whether a key was held that makes it another one: Alt, or Control with an arrow.
  package var hasOther = false

  package init(_ sign: Sign, hasShift: Bool = false, hasOther: Bool = false) {
    self.sign = sign
    self.hasShift = hasShift
    self.hasOther = hasOther
  }
}
