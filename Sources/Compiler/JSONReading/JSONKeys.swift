// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A key that its object has already.
package struct JSONDuplicate: Sendable {
  package let key: String
  package let place: Place
  /// The place of the first use of the same key.
  package let first: Place

  package var message: String {
    "the key \(quoted(key)) stands twice; it stands first at \(first.line):\(first.column)"
  }
}

/// The keys of one object that were read, to find those that stand twice.
///
/// Most objects are small and are compared one by one; a large one gets a table, so that the work stays linear.
struct JSONKeys {
  private static let smallCount = 8
  private var places: [String: Place] = [:]

  /// Adds a key that follows the members; returns the place of the same key among them, if there is one.
  mutating func insert(_ key: String, at place: Place, among members: [JSONMember]) -> Place? {
    if members.count < Self.smallCount {
      return members.first { $0.key == key }?.keyPlace
    }
    if places.isEmpty {
      for member in members { places[member.key] = member.keyPlace }
    }
    if let first = places[key] { return first }
    places[key] = place
    return nil
  }
}
