// SPDX-License-Identifier: Apache-2.0

/// The condition under which a device gives weights at all: masked by SecAgg+ (Bell et al., 2020, as Flower has it), so that a
/// server reads nothing but the sum of several devices.
///
///     setup ─▶ two public keys      share_keys ─▶ shares of a seed, sealed for the neighbours
///     collect_masked_vectors ─▶ weights, quantized and masked      unmask ─▶ shares of the neighbours' seeds
///
/// A device that has it answers no request for weights in the clear. The key of the masks that it has with its neighbours never
/// leaves it, unlike in SecAgg+, where others hold shares of it for the case that it drops out: whatever a server says about who
/// is there, these masks go away in the sum of all of them only. So whoever ends while it learns makes the others' round be
/// without a sum. Devices of Legato draw the masks that they have together from what each was sent, too: where a server sends them
/// unlike weights or settings there is no sum, either. The public keys of others come through the server, unsigned: a server that puts its own in their place, or
/// invents devices, is not found out.
public struct SecureAggregation: Hashable, Sendable {
  /// A sum of fewer says much of each.
  package static let sizes = 6...1000

  /// The fewest devices of Legato whose sum the server may come to know. Those of Python may be among them, and do not count.
  public let fewest: Int
  /// Whether the device judges weights that the server sends. Scores go in the clear, and many of them tell of its examples.
  public var judges = true

  /// - Parameter fewest: the fewest devices of Legato whose sum the server may come to know, 6 to 1000.
  /// - Throws: `FederatedError.unsupported` where it is out of its range.
  public init(among fewest: Int = 6) throws(FederatedError) {
    guard Self.sizes.contains(fewest) else {
      throw .unsupported(
        "a secure aggregation is one of \(Self.sizes.lowerBound) to \(Self.sizes.upperBound) devices, not of \(fewest)"
      )
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
