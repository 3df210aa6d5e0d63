// SPDX-License-Identifier: Apache-2.0

// How messages write lists and numbers.

/// A list as a sentence has it: "a, b or c".
func alternatives(_ names: some Collection<String>, _ word: String = "or") -> String {
  guard let last = Array(names).last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " \(word) " + last
}

/// "1 frame", "2 frames".
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)" + (count == 1 ? "" : "s")
}

/// With two decimals, such as 3.07.
func decimals(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  let fraction = String(hundredths % 100)
  return "\(hundredths / 100)." + (fraction.count < 2 ? "0" : "") + fraction
}

/// A float as a person writes it: 0.1 and 8, not 0.10000000149 or 8.0.
func shortest(_ number: Float) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
