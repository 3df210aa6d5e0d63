// SPDX-License-Identifier: Apache-2.0

/// The moment at which a controller that stands elsewhere than its parameter takes it over.
///
///     jump    at once                      the parameter glides to where the controller stands
///     pickup  when it passes the value     nothing moves until then
struct Pickup {
  /// Whether a controller waits until it passes the value.
  let waits: Bool
  private var last: [String: Double] = [:]
  private var taken: [String: Double] = [:]

  /// The distance between positions of a coarse controller.
  private static let near = 1.0 / 127

  init(waits: Bool) { self.waits = waits }

  /// Whether a parameter follows a controller.
  ///
  /// - Parameters:
  ///   - way: where the controller stands.
  ///   - present: where the parameter does.
  mutating func follows(_ name: String, to way: Double, from present: Double) -> Bool {
    guard waits else { return true }
    let before = last.updateValue(way, forKey: name)
    // It has it, unless somebody else turned the parameter meanwhile.
    let hasIt = taken[name].map { abs($0 - present) <= Self.near } ?? false
    let passes = before.map { (min($0, way)...max($0, way)).contains(present) } ?? false
    guard hasIt || passes || abs(way - present) <= Self.near else {
      taken[name] = nil
      return false
    }
    taken[name] = way
    return true
  }
}
