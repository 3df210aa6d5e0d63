// SPDX-License-Identifier: Apache-2.0

/// A list as a sentence has it: "a, b or c".
package func alternatives(_ names: some Collection<String>, _ word: String = "or") -> String {
  guard let last = Array(names).last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " \(word) " + last
}

/// A number of things: "1 frame", "2 frames".
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)" + (count == 1 ? "" : "s")
}
