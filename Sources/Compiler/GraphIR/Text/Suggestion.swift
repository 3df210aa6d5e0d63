// SPDX-License-Identifier: Apache-2.0

/// Finds the name that a person most likely meant, for "did you mean".
///
///     nearestName(to: "saturatd", among: ["src", "saturated"])  →  "saturated"
///
/// Near means few edits (insert, delete, replace, swap two neighbours) for the length of the name, upper and lower case
/// of ASCII counted as one; of equally near names one of the same length wins, else the first. Edits are counted in
/// bytes of UTF-8, so that most candidates are dismissed by their length alone. Very long names are not compared:
/// nobody mistypes those.
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
  let wanted = folded(name)
  guard !wanted.isEmpty, wanted.count <= longestComparedName else { return nil }
  var limit = min(3, (wanted.count + 1) / 3)
  var nearest: String?
  for candidate in candidates {
    let length = candidate.utf8.count
    guard length > 0, length <= longestComparedName, abs(length - wanted.count) <= limit else { continue }
    guard let distance = editDistance(wanted, folded(candidate), limit: limit) else { continue }
    let isAsLong = length == wanted.count
    guard nearest == nil || distance < limit || (isAsLong && nearest?.utf8.count != wanted.count) else {
      continue
    }
    nearest = candidate
    guard distance > 0 else { return nearest }
    limit = distance
  }
  return nearest
}

/// The end of a message about a name that is unknown: the one that may be meant, or those that there are.
package func hint(for name: String, among known: [String]) -> String {
  if let near = nearestName(to: name, among: known) { return "; did you mean \(quoted(near))?" }
  let shown = known.prefix(8).map { quoted($0) }.joined(separator: ", ")
  return "; there are \(shown)\(known.count > 8 ? ", …" : "")"
}

/// The one name that begins with an abbreviation, for "did you mean"; nil where several do.
///
///     onlyName(abbreviatedAs: "min", among: ["minimum", "maximum"])  →  "minimum"
func onlyName(abbreviatedAs abbreviation: String, among candidates: [String]) -> String? {
  let beginning = folded(abbreviation)
  let longer = candidates.filter { folded($0).starts(with: beginning) }
  return longer.count == 1 ? longer[0] : nil
}

private let longestComparedName = 64

private func folded(_ name: String) -> [UInt8] {
  name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}

/// The number of edits between two words, or nil if it exceeds the limit.
///
/// Only cells near the diagonal can stay within the limit; the others count as out of reach.
private func editDistance(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int? {
  let outOfReach = limit + 1
  var beforePrevious = [Int](repeating: outOfReach, count: b.count + 1)
  var previous = Array(0...b.count)
  var current = beforePrevious
  for i in 0..<a.count {
    let first = max(0, i - limit)
    let end = min(b.count, i + limit + 1)
    guard first < end else { return nil }
    current[first] = first == 0 ? i + 1 : outOfReach
    var smallest = current[first]
    for j in first..<end {
      var edits = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        edits = min(edits, beforePrevious[j - 1] + 1)
      }
      current[j + 1] = edits
      smallest = min(smallest, edits)
    }
    if end < b.count { current[end + 1] = outOfReach }
    // A swap reaches back two rows, but costs no less than the smallest of the row between.
    guard smallest <= limit else { return nil }
    (beforePrevious, previous, current) = (previous, current, beforePrevious)
  }
  return previous[b.count] <= limit ? previous[b.count] : nil
}
