// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment

@testable import LegatoFederated

/// A server's part in a secure aggregation, as Flower's SecAggPlusWorkflow plays it, stage by stage.
final class SecureServer {
  /// A device that can be asked.
  typealias Device = (Message) throws -> Message.Content

  static let standard: [ValueRecord.Item] = [
    .init("stage", .text("setup")), .init("sample_num", .integer(7)), .init("share_num", .integer(7)),
    .init("threshold", .integer(5)), .init("clipping_range", .double(8)),
    .init("target_range", .integer(1 << 22)),
    .init("mod_range", .integer(1 << 32)), .init("max_weight", .double(1000)),
  ]

  var devices: [(node: UInt64, ask: Device)]
  private(set) var keys: [UInt64: [[UInt8]]] = [:]
  private(set) var tokens: [(source: UInt64, destination: UInt64, token: [UInt8])] = []
  private(set) var masked: [UInt64: [[Int64]]] = [:]
  /// Shares that devices have given in the end, by whose secret they are of.
  private(set) var given: [UInt64: [[UInt8]]] = [:]
  /// The scores that have come with masked weights.
  private(set) var scores: [[ValueRecord.Item]] = []
  /// The record that is sent in place of the right one.
  var change: (SecureStage, UInt64, ValueRecord) -> ValueRecord = { $2 }
  /// The arrays that a device gets to learn from, and the rate at which it learns.
  var instructions: (UInt64) -> (arrays: [Tensor], rate: Double)

  init(_ devices: [(UInt64, Device)], _ arrays: [Tensor]) {
    self.devices = devices.map { ($0.0, $0.1) }
    instructions = { _ in (arrays, 0.5) }
  }

  // MARK: Stages

  func setup() throws {
    for device in devices {
      let answer = try ask(device, .setup, ValueRecord(Self.standard))
      guard case .bytes(let first)? = answer["pk1"], case .bytes(let second)? = answer["pk2"] else {
        throw FederatedError.answer("no keys")
      }
      keys[device.node] = [first, second]
    }
  }

  func shareKeys() throws {
    for device in devices {
      let items = keys.sorted { $0.key < $1.key }.map {
        ValueRecord.Item(String($0.key), .byteStrings($0.value))
      }
      let answer = try ask(device, .shareKeys, ValueRecord(items + [.init("stage", .text("share_keys"))]))
      guard case .byteStrings(let texts)? = answer["ctxts"] else { throw FederatedError.answer("no shares") }
      for (destination, text) in zip(Self.nodes(answer["dsts"]), texts) {
        tokens.append((device.node, destination, text))
      }
    }
  }

  func collectMaskedVectors(without dropped: UInt64? = nil) throws {
    for device in devices where device.node != dropped {
      let own = tokens.filter { $0.destination == device.node }
      let answer = try ask(
        device, .collectMaskedVectors,
        ValueRecord([
          .init("stage", .text("collect_masked_vectors")), .init("ctxts", .byteStrings(own.map(\.token))),
          .init("srcs", Self.list(own.map(\.source))),
        ]))
      guard case .byteStrings(let files)? = answer["masked_params"] else {
        throw FederatedError.answer("nothing is masked")
      }
      // 128 bytes of words, then whole numbers of 64 bits.
      masked[device.node] = files.map { file in
        stride(from: 128, to: file.count, by: 8).map { start in
          file[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
      }
    }
  }

  /// The weighted mean of what the devices have learned.
  ///
  /// - Parameter silent: gives no shares in the end.
  func unmask(without silent: UInt64? = nil) throws -> [[Double]] {
    let active = devices.map(\.node).filter { masked[$0] != nil }
    let dead = devices.map(\.node).filter { masked[$0] == nil }
    for device in devices where active.contains(device.node) && device.node != silent {
      let answer = try ask(
        device, .unmask,
        ValueRecord([
          .init("stage", .text("unmask")), .init("active_nids", Self.list(active)),
          .init("dead_nids", Self.list(dead)),
        ]))
      guard case .byteStrings(let shares)? = answer["shares"] else {
        throw FederatedError.answer("no shares")
      }
      for (node, share) in zip(Self.nodes(answer["nids"]), shares) { given[node, default: []].append(share) }
    }
    let shapes = masked[active[0]]!.map(\.count)
    var sum = [UInt64](repeating: 0, count: shapes.reduce(0, +))
    for node in active {
      for (row, number) in masked[node]!.joined().enumerated() { sum[row] &+= UInt64(number) }
    }
    for node in active {
      var mask = SecureMask(seed: Self.secret(Array(given[node]!.suffix(5))), modulus: 1 << 32)
      for row in sum.indices { sum[row] &-= mask.next() }
    }
    let numbers = sum.map { Double($0 & (1 << 32 - 1)) }
    var (means, start) = ([[Double]](), 1)
    for count in shapes.dropFirst() {
      means.append(
        numbers[start..<start + count].map {
          ($0 * 16 / 4_194_304 - 8 * Double(active.count)) * 4_194_304 / numbers[0]
        })
      start += count
    }
    return means
  }

  // MARK: Messages

  func ask(_ device: (node: UInt64, ask: Device), _ stage: SecureStage, _ record: ValueRecord) throws
    -> ValueRecord
  {
    var items = [RecordDict.Item(SecureStage.record, .config(change(stage, device.node, record)))]
    if stage == .collectMaskedVectors {
      let (arrays, rate) = instructions(device.node)
      let own = arrays.enumerated().map { ArrayRecord.Item(String($0), MessageArray($1, isNamed: false)) }
      items.insert(.init("fitins.parameters", .arrays(ArrayRecord(own))), at: 0)
      items.insert(.init("fitins.config", .config(ValueRecord([.init("rate", .double(rate))]))), at: 1)
    }
    var metadata = MessageMetadata()
    (metadata.kind, metadata.destination, metadata.group) = ("train", device.node, "1")
    switch try device.ask(Message(metadata, .records(RecordDict(items)))) {
    case .error(let error): throw FederatedError.answer(error.reason)
    case .records(let records):
      guard
        records.items.allSatisfy({
          if case .arrays(let arrays) = $0.record { arrays.items.isEmpty } else { true }
        })
      else { throw FederatedError.answer("weights in the clear") }
      if let values = records.config("fitres.metrics") { scores.append(values.items) }
      return records.config(SecureStage.record)!
    }
  }

  static func list(_ nodes: [UInt64]) -> RecordValue {
    // As Python: of no kind in particular, with a sign, or without.
    if nodes.isEmpty { return .booleans([]) }
    return nodes.contains { $0 > Int64.max } ? .unsigneds(nodes) : .integers(nodes.map { Int64($0) })
  }

  static func nodes(_ value: RecordValue?) -> [UInt64] {
    switch value {
    case .integers(let nodes)?: nodes.map { UInt64($0) }
    case .unsigneds(let nodes)?: nodes
    case _: []
    }
  }

  // MARK: Secrets

  static func privateKey(_ text: [UInt8]) throws -> SigningKey {
    let folder = try TemporaryFolder()
    let path = folder("key.pem")
    try Data(text).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    defer { withExtendedLifetime(folder) {} }
    return try SigningKey(contentsOf: path)
  }

  /// Lagrange's polynomial at 0, block by block.
  static func secret(_ shares: [[UInt8]]) -> [UInt8] {
    func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
      var sum: UInt128 = 0
      for bit in (0..<128).reversed() {
        let carry: UInt128 = sum >> 127 != 0 ? 0x87 : 0
        sum = sum << 1 ^ carry
        if right >> UInt128(bit) & 1 != 0 { sum ^= left }
      }
      return sum
    }
    // The inverse is the power of 2¹²⁸ - 2.
    func inverse(_ value: UInt128) -> UInt128 {
      var (power, result) = (value, 1 as UInt128)
      for _ in 1..<128 {
        power = product(power, power)
        result = product(result, power)
      }
      return result
    }
    let places = shares.map { share in share[..<4].reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) } }
    let factors = places.map { own in
      let others = places.filter { $0 != own }
      return product(others.reduce(1, product), inverse(others.reduce(1) { product($0, $1 ^ own) }))
    }
    var secret: [UInt8] = []
    for start in stride(from: 4, to: shares[0].count, by: 16) {
      let block = zip(shares, factors).reduce(0 as UInt128) { sum, part in
        sum ^ product(part.0[start..<start + 16].reduce(0) { $0 << 8 | UInt128($1) }, part.1)
      }
      secret += (0..<16).map { UInt8(truncatingIfNeeded: block >> (120 - 8 * $0)) }
    }
    return secret.dropLast(Int(secret.last ?? 0))
  }
}
