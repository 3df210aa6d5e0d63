// SPDX-License-Identifier: Apache-2.0

/// Where two signals differ first; nil where they do not. The tests' own comparison of arrays takes minutes for long
/// ones.
func difference(_ one: [Double], _ other: [Double]) -> String? {
  if one.count != other.count { return "\(one.count) frames are not \(other.count)" }
  guard let frame = one.indices.first(where: { one[$0] != other[$0] }) else { return nil }
  return "at frame \(frame): \(one[frame]) is not \(other[frame])"
}
