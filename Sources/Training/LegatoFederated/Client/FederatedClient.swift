// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// A device's part in learning together: weights in, weights out, and numbers about both. Data never leaves it.
///
///     server ── weights, configuration ─▶ fit       ─▶ weights, number of examples, metrics ─▶ server
///     server ── weights, configuration ─▶ evaluate  ─▶ loss, number of examples, metrics    ─▶ server
///
/// A `FederatedError` that it throws is told to the server as the reason why there is no answer; of other errors, which may
/// name files of the device, only that there was one.
public protocol FederatedClient {
  /// The arrays that a server and its devices exchange, in the order in which they are sent.
  var parameters: [FederatedParameter] { get }
  /// Properties of the device that a server may ask for.
  var properties: [String: FederatedValue] { get }
  /// Learns from the device's own data, beginning with the server's arrays, which are as many and of the shapes of those
  /// `parameters` that are updatable, and finite.
  func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult
  /// Judges the server's arrays by the device's own data.
  func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult
}

/// An array that a server and its devices exchange.
public struct FederatedParameter: Hashable, Sendable {
  public let name: String
  public let values: Tensor
  /// Whether it is learned together. An array that is not belongs to the model of all, and goes along as the device has it: no
  /// round changes it, and a round whose server has another one in its place is refused.
  public let isUpdatable: Bool

  public init(name: String, values: Tensor, isUpdatable: Bool = true) {
    (self.name, self.values, self.isUpdatable) = (name, values, isUpdatable)
  }

  /// The distance up to which numbers are the same, as a share of an array's largest one. A mean of equal floats is off by half
  /// a rounding for each device that was added, so that thousands of them are within it.
  static let roundings: Float = 1e-4

  /// Checks a server's array against this one, where this one does not learn.
  ///
  /// - Parameter other: has the same shape.
  /// - Throws: `FederatedError.answer` where it is more than roundings away.
  func check(_ other: Tensor) throws(FederatedError) {
    guard !isUpdatable else { return }
    let bound = Self.roundings * values.values.reduce(0) { max($0, abs($1)) }
    for (row, (own, given)) in zip(values.values, other.values).enumerated()
    where !(abs(own - given) <= bound) {
      throw .answer(
        "the server's '\(name)' is not this device's, which does not learn: number \(row + 1) is \(written(given)) there and "
          + "\(written(own)) here; both have to begin with the same model")
    }
  }
}

/// A value of a configuration, or a property.
public enum FederatedValue: Hashable, Sendable {
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case text(String)
}

/// The settings of a round, as the server's program says them.
public struct RoundConfiguration: Hashable, Sendable {
  /// The server's values by their names; lists and bytes are left out.
  public let values: [String: FederatedValue]
  /// The names of what was left out, and of what is said twice with two values.
  private let others, twice: Set<String>
  /// The message's own word for the round.
  private let group: String

  public init(_ values: [String: FederatedValue] = [:]) {
    self.init(values, others: [], twice: [], group: "")
  }

  init(_ values: [String: FederatedValue], others: Set<String>, twice: Set<String>, group: String) {
    (self.values, self.others, self.twice, self.group) = (values, others, twice, group)
  }

  /// A number that is called by one of some names; `-` and `_` are the same.
  ///
  /// - Throws: `FederatedError.answer` where the server says something else by such a name, or two numbers by two of them.
  public func number(_ names: String...) throws(FederatedError) -> Double? {
    var found: (name: String, number: Double)?
    for name in (others.union(values.keys)).sorted() where names.contains(name.replacing("_", with: "-")) {
      guard !twice.contains(name) else {
        throw .answer("the server's setting \(quotedShort(name)) is said twice, with two values")
      }
      let number: Double
      switch values[name] {
      case .number(let value)?: number = value
      case .integer(let value)?: number = Double(value)
      case .flag(let flag)?:
        throw .answer("the server's setting \(quotedShort(name)) is \(flag), and no number")
      case .text(let text)?:
        throw .answer("the server's setting \(quotedShort(name)) is \(quotedShort(text)), and no number")
      case nil: throw .answer("the server's setting \(quotedShort(name)) is a list or bytes, and no number")
      }
      if let found, found.number != number {
        throw .answer(
          "the server's settings \(quotedShort(found.name)) and \(quotedShort(name)) are one, and it says \(found.number) and "
            + "\(number)")
      }
      found = (name, number)
    }
    return found?.number
  }

  /// The round, counted from 1, where the server says it, by a setting or the message's group, and it is one of 64 bits.
  ///
  /// - Throws: `FederatedError.answer` where it says no whole number.
  public var round: Int? {
    get throws(FederatedError) {
      guard let number = try number("server-round", "round") else { return Int(group) }
      guard number.isFinite, number == number.rounded() else {
        throw .answer("the server's round is \(number), and no whole number")
      }
      return Int(exactly: number)
    }
  }

  /// The norm to which the server's program counts on what was learned being shortened, for the privacy that it adds.
  ///
  /// - Throws: `FederatedError.answer` where it is none, `.unsupported` where it asks for what came before.
  var clippingNorm: Double? {
    get throws(FederatedError) {
      guard !others.union(values.keys).contains(where: { $0.hasPrefix("dpfedavg_") }) else {
        throw .unsupported(
          "this device does not shorten what it learns as DPFedAvg asks; it does for "
            + "DifferentialPrivacyClientSideFixedClipping and DifferentialPrivacyClientSideAdaptiveClipping")
      }
      guard let norm = try number("clipping-norm") else { return nil }
      guard norm.isFinite, norm > 0 else { throw .answer("the server asks for a clipping norm of \(norm)") }
      return norm
    }
  }
}

/// The outcome of a round on a device.
public struct FederatedResult: Hashable, Sendable {
  /// The learned arrays, in the order of the parameters that are updatable; empty after judging.
  public var arrays: [Tensor]
  /// How many examples there are: the weight of this device among the others.
  public var examples: Int
  /// Numbers by their names, `loss` among them after judging.
  public var metrics: [String: Double]
  /// The noise that hides what was learned, as a multiple of the norm of what one device can change; nil for none.
  public var noise: Double?

  public init(
    arrays: [Tensor] = [], examples: Int, metrics: [String: Double] = [:], noise: Double? = nil
  ) {
    (self.arrays, self.examples, self.metrics, self.noise) = (arrays, examples, metrics, noise)
  }
}
