// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Joins the two halves of a fine controller's position.
///
///     controller 21: 64      21: 64 of 127                     until a fine half has come
///     controller 53: 127     21: 64 * 128 + 127 of 16383
///     controller 21: 65      21: 65 * 128       of 16383       a coarse half begins anew
///
/// Controller n + 32 is the fine half of n below 32, unless it is a controller of its own.
struct ControllerPairs {
  /// The position of a controller, from 0 to 1.
  struct Position: Hashable {
    let channel: Int
    let number: Int
    let way: Double
  }

  private struct Half: Hashable {
    let channel: Int
    let number: Int
  }

  private var coarse: [Half: Int] = [:]
  private var isFine: Set<Half> = []

  /// - Parameters:
  ///   - isOwn: whether the controller turns something by itself.
  ///   - isLearnt: whether any controller would do: then one whose coarse half never came is one of its own.
  mutating func position(
    channel: Int, number: Int, value: Int, isOwn: Bool, isLearnt: Bool
  ) -> Position? {
    let isLate = isLearnt && coarse[Half(channel: channel, number: number - 32)] == nil
    guard (32...63).contains(number), !isOwn, !isLate else {
      let half = Half(channel: channel, number: number)
      coarse[half] = value
      let way = isFine.contains(half) ? Double(value << 7) / 16383 : Double(value) / 127
      return Position(channel: channel, number: number, way: way)
    }
    let half = Half(channel: channel, number: number - 32)
    // A fine half alone says nothing.
    guard let high = coarse[half] else { return nil }
    isFine.insert(half)
    return Position(channel: channel, number: number - 32, way: Double(high << 7 | value) / 16383)
  }
}
