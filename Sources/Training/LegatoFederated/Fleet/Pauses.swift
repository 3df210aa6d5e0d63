// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Pauses between tries, each longer than the one before up to a longest, and a fifth more or less by chance, so that many
/// devices do not come back at once.
struct Pauses {
  private let first, longest, factor: Double
  private var next: Double

  /// - Parameter factor: how much longer each is; what is waited for is noticed late by at most as much of the time that
  ///   it took.
  init(from first: Double, to longest: Double, factor: Double = 2) {
    (self.first, self.longest, self.factor, next) = (first, longest, factor, first)
  }

  /// The seconds to wait now.
  mutating func take() -> Double {
    defer { next = min(longest, next * factor) }
    return next * .random(in: 0.8...1.2)
  }

  mutating func restart() { next = first }

  /// Waits, and looks now and then whether it should not.
  static func wait(_ seconds: Double, _ isCancelled: () -> Bool) throws(FederatedError) {
    let end = DispatchTime.now() + seconds
    while .now() < end {
      if isCancelled() { throw .cancelled }
      let left = Double(
        end.uptimeNanoseconds - min(end.uptimeNanoseconds, DispatchTime.now().uptimeNanoseconds))
      Thread.sleep(forTimeInterval: min(0.2, left / 1e9))
    }
    if isCancelled() { throw .cancelled }
  }
}
