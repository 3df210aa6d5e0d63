// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TensorFiles

@testable import LegatoFederated

/// A device of Python in a secure aggregation, as Flower's `secaggplus_mod` plays it: with shares of its mask key, and masks that
/// know nothing of what was sent.
final class FlowerDevice {
  private let node: UInt64
  private let values: [Tensor]
  private let share: Double
  private let mask = try! SigningKey(on: .p384), sealing = try! SigningKey(on: .p384)
  private let seed = [UInt8](repeating: 7, count: 32)
  private var keys: [UInt64: [SigningKey]] = [:]
  private var shares: [UInt64: [UInt8]] = [:]
  /// Bytes that others have sealed beside the shares of their seeds.
  private(set) var besideShares: [[UInt8]] = []
  /// Bytes that it seals in place of a share of its mask key.
  var tail: [UInt8]?

  /// - Parameters:
  ///   - values: what it has learned.
  ///   - most: the number of examples whose share of the sum is 1.
  init(_ node: UInt64, _ values: [Tensor], examples: Int, most: Double) {
    (self.node, self.values) = (node, values)
    share = (Double(examples) / most * 4_194_304).rounded()
  }

  func answer(_ message: Message) throws -> Message.Content {
    guard case .records(let records) = message.content, let asked = records.config(SecureStage.record) else {
      throw FederatedError.answer("no stage")
    }
    let values =
      switch try SecureStage(asked) {
      case .setup:
        ValueRecord([
          .init("pk1", .bytes(Array(mask.publicText.utf8))),
          .init("pk2", .bytes(Array(sealing.publicText.utf8))),
        ])
      case .shareKeys: try shareKeys(asked)
      case .collectMaskedVectors: try masked(asked)
      case .unmask: unmask(asked)
      }
    return .records(RecordDict([.init(SecureStage.record, .config(values))]))
  }

  private func shareKeys(_ asked: ValueRecord) throws -> ValueRecord {
    for item in asked.items {
      guard let other = UInt64(item.name), case .byteStrings(let texts) = item.value else { continue }
      keys[other] = try texts.map { try SigningKey(publicHalf: $0) }
    }
    let order = keys.keys.sorted()
    var random = SystemRandomNumberGenerator()
    let ofSeed = SecretShares.shares(seed, threshold: 5, count: order.count, using: &random)
    let ofKey = SecretShares.shares(
      Array(try mask.privateText.utf8), threshold: 5, count: order.count, using: &random)
    var (destinations, tokens) = ([UInt64](), [[UInt8]]())
    for (row, other) in order.enumerated() {
      guard other != node else {
        shares[node] = ofSeed[row]
        continue
      }
      destinations.append(other)
      let head = bytes(node, 8) + bytes(other, 8) + bytes(UInt64(ofSeed[row].count), 4)
      tokens.append(
        SealedBytes.sealed(
          head + ofSeed[row] + (tail ?? ofKey[row]), key: try sealing.secret(sharedWith: keys[other]![1]),
          time: 1,
          vector: [UInt8](repeating: UInt8(row), count: 16)))
    }
    return ValueRecord([.init("dsts", SecureServer.list(destinations)), .init("ctxts", .byteStrings(tokens))])
  }

  private func masked(_ asked: ValueRecord) throws -> ValueRecord {
    guard case .byteStrings(let tokens)? = asked["ctxts"] else { throw FederatedError.answer("no shares") }
    for (source, token) in zip(SecureServer.nodes(asked["srcs"]), tokens) {
      let key = try sealing.secret(sharedWith: keys[source]![1])
      guard let plain = SealedBytes.opened(token, key: key) else { throw FederatedError.answer("not sealed") }
      let count = Int(plain[16]) + Int(plain[17]) << 8
      shares[source] = Array(plain[20..<20 + count])
      besideShares.append(Array(plain[(20 + count)...]))
    }
    var numbers = [UInt64(share)]
    for value in values.flatMap(\.values) {
      let cut = min(max(Double(value) * share / 4_194_304, -8), 8)
      numbers.append(UInt64((cut + 8) * 262_144))
    }
    var own = SecureMask(seed: seed, modulus: 1 << 32)
    for row in numbers.indices { numbers[row] &+= own.next() }
    for other in shares.keys where other != node {
      let secret = try mask.secret(sharedWith: keys[other]![0])
      var common = SecureMask(seed: Array(SealedBytes.urlText(secret).utf8), modulus: 1 << 32)
      for row in numbers.indices {
        let next = common.next()
        numbers[row] = node > other ? numbers[row] &+ next : numbers[row] &- next
      }
    }
    var rest = numbers.map { Int64($0 & (1 << 32 - 1)) }[...]
    let files = ([[1]] + values.map(\.shape)).map { shape in
      let part = Array(rest.prefix(shape.reduce(1, *)))
      rest = rest.dropFirst(part.count)
      return part.npy(shape: shape)
    }
    return ValueRecord([.init("masked_params", .byteStrings(files))])
  }

  private func unmask(_ asked: ValueRecord) -> ValueRecord {
    let active = SecureServer.nodes(asked["active_nids"])
    return ValueRecord([
      .init("nids", SecureServer.list(active)), .init("shares", .byteStrings(active.map { shares[$0]! })),
    ])
  }

  /// The lowest byte first.
  private func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
