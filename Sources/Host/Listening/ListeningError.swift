// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing is listened to any more.
public enum ListeningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A source is not there, or is gone; the text begins with its name.
  case absent(String)
  /// A source whose data cannot be readings; the text begins with the place.
  case data(String)

  public var description: String {
    switch self {
    case .absent(let text), .data(let text): text
    }
  }
}
