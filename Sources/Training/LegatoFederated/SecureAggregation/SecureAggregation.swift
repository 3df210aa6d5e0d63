// SPDX-License-Identifier: Apache-2.0

/// The condition under which a device gives weights at all: masked by SecAgg+ (Bell et al., 2020, as Flower has it), so that a
/// server reads nothing but the sum of several devices.
///
///     setup ─▶ two public keys      share_keys ─▶ sealed shares for the neighbours
///     collect_masked_vectors ─▶ weights, quantized and masked      unmask ─▶ shares of those who have answered
///
/// A device that has it answers no request for weights in the clear. What a server chooses is checked, and so is that it never
/// asks for both secrets of one device. The public keys of others come through the server, unsigned: a server that invents
/// devices is not found out.
public struct SecureAggregation: Hashable, Sendable {
  /// The fewest devices whose sum the server may come to know.
  public let fewest: Int

  /// The most neighbours that a device makes shares for.
  static let mostNeighbours = 1000

  /// - Parameter fewest: the fewest devices whose sum the server may come to know, 3 to 1000.
  /// - Throws: `FederatedError.unsupported` where it is out of its range.
  public init(among fewest: Int = 3) throws(FederatedError) {
    guard (3...Self.mostNeighbours).contains(fewest) else {
      throw .unsupported(
        "a secure aggregation is one of 3 to \(Self.mostNeighbours) devices, not of \(fewest)")
    }
    self.fewest = fewest
  }
}

/// A stage of a secure aggregation, as Flower calls it.
enum SecureStage: String, Hashable {
  case setup
  case shareKeys = "share_keys"
  case collectMaskedVectors = "collect_masked_vectors"
  case unmask

  /// The record of a message that says the stage, and of its answer.
  static let record = "secaggplus_configs"

  /// - Throws: `FederatedError.answer` where the record says none.
  init(_ record: ValueRecord) throws(FederatedError) {
    guard case .text(let name)? = record["stage"], let stage = SecureStage(rawValue: name) else {
      throw .answer("the server's request for a secure aggregation says no stage that is known")
    }
    self = stage
  }
}
