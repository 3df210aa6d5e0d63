// SPDX-License-Identifier: Apache-2.0

/// The colours that all pictures share: the ground of a page, and what is written and drawn on it.
package struct PageColors: Sendable {
  package let background, text, muted, edge: String

  package static let light = PageColors(
    background: "#ffffff", text: "#0f172a", muted: "#52606d", edge: "#64748b")
  package static let dark = PageColors(
    background: "#0f172a", text: "#f1f5f9", muted: "#a8b5c7", edge: "#8fa1b8")
}
