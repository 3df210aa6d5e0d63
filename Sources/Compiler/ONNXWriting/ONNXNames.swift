// SPDX-License-Identifier: Apache-2.0

/// The names in an ONNX graph, where nothing may be called as something else is.
///
///     level, level, level_in    →    level, level_1, level_in
struct ONNXNames {
  private var taken: Set<String> = []
  /// By stems, how many numbers have been tried.
  private var counts: [String: Int] = [:]

  /// A name that is free, and is taken with it.
  ///
  /// - Parameter endings: What is put behind it; all of these are taken, and without one nothing else.
  mutating func take(_ wish: String, endings: [String] = [""]) -> String {
    // Without a name, ONNX says that there is nothing.
    let stem = wish.isEmpty ? "unnamed" : wish
    var name = stem
    while endings.contains(where: { taken.contains(name + $0) }) {
      counts[stem, default: 0] += 1
      name = "\(stem)_\(counts[stem, default: 0])"
    }
    taken.formUnion(endings.map { name + $0 })
    return name
  }
}
