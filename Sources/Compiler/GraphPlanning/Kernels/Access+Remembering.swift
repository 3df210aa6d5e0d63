// SPDX-License-Identifier: Apache-2.0

/// Walks over what was written some frames before.
extension Access {
  /// Whether a read of a history finds what a write has put there in the same round, some frames before.
  package func hearsOnly(_ write: Access) -> Bool {
    index == nil && offset == write.offset && strides == write.strides && delayStrides.allSatisfy { $0 == 0 }
      && delay > 0
  }

  /// The same walk so many frames earlier.
  package func remembering(_ delay: Int) -> Access {
    var result = self
    result.delay = delay
    return result
  }
}
