// SPDX-License-Identifier: Apache-2.0

/// A request that a model, or a file, cannot meet: what was asked for, what there is, and what to ask for instead.
///
///     RequestError("'wide' takes 2 channels, a.wav has 1; choose them with \(.inputs), such as \(.inputs) 1,1")
///
///     description                      … choose them with inputs, such as inputs 1,1
///     text { "--" + $0.rawValue }      … choose them with --inputs, such as --inputs 1,1
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A part of a request that a message names; each program calls it as its users know it.
  public struct Name: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The channels that a model's inputs read.
    public static let inputs = Name(rawValue: "inputs")
    /// The rows of a model's outputs that are kept.
    public static let outputs = Name(rawValue: "outputs")
    /// Frames per second.
    public static let rate = Name(rawValue: "rate")
  }

  package let message: Message

  package init(_ message: Message) { self.message = message }

  /// One sentence, with the names that Legato has for the parts of a request.
  public var description: String { text { $0.rawValue } }

  /// One sentence, with a program's own names for the parts of a request.
  public func text(calling name: (Name) -> String) -> String {
    message.parts.map { part in
      switch part {
      case .text(let text): text
      case .name(let part): name(part)
      }
    }.joined()
  }

  /// A sentence in which parts of a request are named.
  package struct Message: Hashable, Sendable, ExpressibleByStringInterpolation, StringInterpolationProtocol {
    fileprivate enum Part: Hashable, Sendable {
      case text(String)
      case name(Name)
    }

    fileprivate var parts: [Part] = []

    package init(stringLiteral text: String) { parts = [.text(text)] }
    package init(stringInterpolation message: Message) { self = message }
    package init(literalCapacity: Int, interpolationCount: Int) {}
    package mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }
    package mutating func appendInterpolation(_ name: Name) { parts.append(.name(name)) }
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      parts.append(.text(value.description))
    }
    package mutating func appendInterpolation(_ message: Message) { parts += message.parts }

    package static func + (first: Message, second: Message) -> Message {
      var whole = first
      whole.parts += second.parts
      return whole
    }
  }
}
