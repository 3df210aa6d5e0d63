// SPDX-License-Identifier: Apache-2.0

/// The reason why a device does not learn with others, as a sentence for its owner.
public enum FederatedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no server, it has gone, or something else is there, which speaks otherwise.
  case unreachable(String, isOther: Bool = false)
  /// The server does not let this device in.
  case refused(String)
  /// The server answers with an error of its own, which may have a number.
  case server(String, code: Int? = nil)
  /// The server says what cannot be.
  case answer(String)
  /// A key is none, or not safe.
  case key(String)
  /// The device's memory cannot be read or written.
  case memory(String)
  /// A request that this device does not serve, or a setting that cannot be.
  case unsupported(String)
  /// Somebody asked for the end.
  case cancelled

  public var description: String {
    switch self {
    case .unreachable(let text, _), .refused(let text), .server(let text, _), .answer(let text),
      .key(let text),
      .memory(let text), .unsupported(let text):
      text
    case .cancelled: "cancelled"
    }
  }
}
