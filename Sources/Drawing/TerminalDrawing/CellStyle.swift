// SPDX-License-Identifier: Apache-2.0

/// How a cell of a terminal looks, beside its character.
///
/// Nothing may be said by colour alone: who asks for none, or does not see it, reads the same.
package struct CellStyle: Hashable, Sendable {
  package enum Color: UInt8, Sendable {
    case none = 39
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  package var isBold = false
  package var isDim = false
  package var isReversed = false
  package var color = Color.none

  package static let plain = CellStyle()
  package static let bold = CellStyle(isBold: true)
  package static let dim = CellStyle(isDim: true)
  package static let reversed = CellStyle(isReversed: true)

  package init(isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false, color: Color = .none) {
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
    self.color = color
  }

  /// The same without its colour.
  package var withoutColor: CellStyle {
    CellStyle(isBold: isBold, isDim: isDim, isReversed: isReversed)
  }

  /// The sequence that changes a terminal from another style to this one (ECMA-48, select graphic rendition).
  func selection(after former: CellStyle) -> String {
    guard self != former else { return "" }
    // One number takes away both bold and dim, and there is none for each.
    let loses = (former.isBold && !isBold) || (former.isDim && !isDim)
    let base = loses ? CellStyle.plain : former
    var numbers = loses ? ["0"] : []
    if isBold, !base.isBold { numbers.append("1") }
    if isDim, !base.isDim { numbers.append("2") }
    if isReversed != base.isReversed { numbers.append(isReversed ? "7" : "27") }
    if color != base.color { numbers.append(String(color.rawValue)) }
    let all = numbers == ["0"] || self == .plain ? "" : numbers.joined(separator: ";")
    return "\u{1B}[\(all)m"
  }
}
