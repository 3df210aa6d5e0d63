// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Pauses between tries, each a quarter longer than the one before up to a longest: what is waited for is noticed late by
/// little of the time that it took. They are a fifth more or less by chance, so that many devices do not come back at
/// once.
struct Pauses {
  private let first, longest: Double
  private var next: Double

  init(from first: Double, to longest: Double) {
    (self.first, self.longest, next) = (first, longest, first)
  }

  /// The seconds to wait now.
  mutating func take() -> Double {
    defer { next = min(longest, next * 1.25) }
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
