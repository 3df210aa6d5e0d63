// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato
internal import TensorFiles

/// A device's part in one secure aggregation, from its keys to the shares that it gives in the end; then it is over.
///
///     init          new keys: one for masks, one to seal shares
///     shareKeys     a seed of its own; shares of it, sealed for each neighbour
///     open          the neighbours' shares, which have come sealed
///     masked        weights × their share, quantized, + mask of the seed, ± a mask with each neighbour
///     unmask        shares of the seeds of this device and its neighbours
///
/// Two devices of Legato know each other by a mark that is sealed with the shares, and draw their mask from what they were sent, too:
/// it goes away only where a server has sent both the same. With one of Python the mask is Flower's, and does not count: it gives others
/// shares of its key, from which a server that lies about who is there has the mask.
///
/// Where a server knows all seeds, one mask with each neighbour is left. Only the two devices have it, since the mask key goes
/// nowhere: what can be read is the sum of a device and all of Legato whose shares it has opened, and theirs.
struct SecureRound {
  private struct Neighbour {
    let maskKey: SigningKey
    /// Seals what goes to it, and opens what comes.
    let secret: [UInt8]
    /// Whether it has sealed the mark.
    var isMarked = false
  }

  /// The mark in place of a share of the mask key, which is not given: who writes it, and how its masks are drawn.
  private static let mark = Array("Legato1".utf8)

  private let node: UInt64
  private let fewest: Int
  private let settings: SecureSettings
  /// The settings as they came.
  private let record: ValueRecord
  private let maskKey, sealingKey: SigningKey
  /// The stage that comes next.
  private var next = SecureStage.shareKeys
  private var seed: [UInt8] = []
  private var neighbours: [UInt64: Neighbour] = [:]
  /// Shares of the seeds of this device and of the neighbours that it has a mask with.
  private var shares: [UInt64: [UInt8]] = [:]
  private var random = SystemRandomNumberGenerator()

  /// - Parameters:
  ///   - record: of the stage of setup.
  ///   - node: the number of this device.
  ///   - fewest: the fewest devices of Legato whose sum the server may come to know.
  /// - Throws: `FederatedError.answer` where the settings would tell more than that.
  init(_ record: ValueRecord, node: UInt64, fewest: Int) throws(FederatedError) {
    settings = try SecureSettings(record, fewest: fewest)
    (self.node, self.fewest, self.record) = (node, fewest, record)
    (maskKey, sealingKey) = (try SigningKey(on: .p384), try SigningKey(on: .p384))
  }

  /// The answer to the setup.
  var publicKeys: ValueRecord {
    ValueRecord([
      .init("pk1", .bytes(Array(maskKey.publicText.utf8))),
      .init("pk2", .bytes(Array(sealingKey.publicText.utf8))),
    ])
  }

  /// - Throws: `FederatedError.answer` where a stage does not come in its turn, or for another node.
  private func expect(_ stage: SecureStage, _ node: UInt64) throws(FederatedError) {
    guard next == stage, self.node == node else { throw Self.outOfTurn(stage) }
  }

  /// The error of a stage for which nothing was prepared.
  static func outOfTurn(_ stage: SecureStage) -> FederatedError {
    .answer(
      "the server asks for '\(stage.rawValue)' of a secure aggregation out of its turn; what this device had for it lived in "
        + "memory, and each stage is answered once: the round is lost, the next one begins with 'setup'")
  }

  // MARK: Keys

  /// Shares of this device's seed, sealed for each neighbour.
  ///
  /// - Parameter record: the public keys of the neighbours, and of this device, by their numbers.
  /// - Throws: `FederatedError.answer`.
  mutating func shareKeys(_ record: ValueRecord, node: UInt64) throws(FederatedError) -> ValueRecord {
    try expect(.shareKeys, node)
    var pairs: [(node: UInt64, mask: SigningKey, sealing: SigningKey)] = []
    for item in record.items where item.name != "stage" {
      guard let other = UInt64(item.name), case .byteStrings(let keys) = item.value, keys.count == 2 else {
        throw .answer("the server's secure aggregation has no two public keys of a device")
      }
      pairs.append((other, try SigningKey(publicHalf: keys[0]), try SigningKey(publicHalf: keys[1])))
    }
    let least = max(fewest, settings.threshold)
    guard (least...SecureAggregation.sizes.upperBound).contains(pairs.count) else {
      throw .answer(
        "the server's secure aggregation has \(pairs.count) devices beside each other; \(least) are needed, and "
          + "\(SecureAggregation.sizes.upperBound) the most")
    }
    // A key and its negative have one secret with this device, and their masks could take each other away.
    let points = pairs.flatMap { [$0.mask.abscissa, $0.sealing.abscissa] }
    guard Set(pairs.map(\.node)).count == pairs.count, Set(points).count == points.count else {
      throw .answer("the server's secure aggregation has a device or a public key twice")
    }
    guard
      pairs.contains(where: {
        $0.node == node && $0.mask.isSame(as: maskKey) && $0.sealing.isSame(as: sealingKey)
      })
    else {
      throw .answer("the server's secure aggregation has other public keys of this device than its own")
    }

    seed = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let ofSeed = SecretShares.shares(
      seed, threshold: settings.threshold, count: pairs.count, using: &random)
    var (destinations, tokens) = ([UInt64](), [[UInt8]]())
    for (row, other) in pairs.enumerated() {
      if other.node == node {
        shares[node] = ofSeed[row]
        continue
      }
      let secret = try sealingKey.secret(sharedWith: other.sealing)
      neighbours[other.node] = Neighbour(maskKey: other.mask, secret: secret)
      let head = Self.bytes(node, 8) + Self.bytes(other.node, 8) + Self.bytes(UInt64(ofSeed[row].count), 4)
      destinations.append(other.node)
      tokens.append(
        SealedBytes.sealed(
          head + ofSeed[row] + Self.mark, key: secret, time: UInt64(Date().timeIntervalSince1970),
          vector: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    }
    next = .collectMaskedVectors
    return ValueRecord([.init("dsts", Self.nodes(destinations)), .init("ctxts", .byteStrings(tokens))])
  }

  // MARK: Weights

  /// Takes the neighbours' shares.
  ///
  /// - Throws: `FederatedError.answer` where they were not sealed for this device by those whom they are said to be of.
  mutating func open(_ record: ValueRecord, node: UInt64) throws(FederatedError) {
    try expect(.collectMaskedVectors, node)
    let sources = try Self.nodes(record, "srcs")
    // A list of another kind is one without elements.
    let tokens: [[UInt8]] = if case .byteStrings(let list)? = record["ctxts"] { list } else { [] }
    guard sources.count == tokens.count, Set(sources).count == sources.count else {
      throw .answer("the server's secure aggregation has other shares than devices that they are of")
    }
    for (source, token) in zip(sources, tokens) {
      guard let neighbour = neighbours[source], let text = SealedBytes.opened(token, key: neighbour.secret),
        text.count >= 20, Self.number(text[..<8]) == source, Self.number(text[8..<16]) == node,
        case let count = Int(Self.number(text[16..<20])), count <= text.count - 20
      else {
        throw .answer(
          "the server's secure aggregation has shares that device \(source) did not seal for this one")
      }
      shares[source] = Array(text[20..<20 + count])
      let tail = text[(20 + count)...]
      neighbours[source]!.isMarked = tail.elementsEqual(Self.mark)
      guard neighbours[source]!.isMarked || !tail.starts(with: Array("Legato".utf8)) else {
        throw .answer(
          "device \(source) of the server's secure aggregation has the mark \(quotedShort(String(decoding: tail, as: UTF8.self))), "
            + "and this one '\(String(decoding: Self.mark, as: UTF8.self))': their masks are drawn otherwise; give both the same Legato"
        )
      }
    }
    let found = met
    guard found.ofLegato + 1 >= fewest else {
      throw .answer(
        "of the \(found.count) other devices that share in the server's secure aggregation \(found.ofLegato) are of Legato; this "
          + "one hides among \(fewest) or more of these, itself counted")
    }
  }

  /// The neighbours whose shares have come.
  var met: SuperLink.Neighbours {
    let there = neighbours.filter { shares[$0.key] != nil }.values
    return SuperLink.Neighbours(count: there.count, ofLegato: there.count(where: \.isMarked))
  }

  /// The learned arrays, masked: a whole number for the device's share in the sum, then the arrays.
  ///
  /// - Parameters:
  ///   - result: what was learned.
  ///   - common: the hash of all that each device was sent alike.
  /// - Throws: `FederatedError.answer` where the device has more examples than the server counts, or far fewer.
  mutating func masked(
    _ result: FederatedResult, of common: String
  ) throws(FederatedError) -> ValueRecord {
    let share = try settings.share(of: result.examples)
    let (clipping, levels) = (settings.clipping, Double(settings.levels))
    var numbers = [UInt64(share)]
    for array in result.arrays {
      for value in array.values {
        let cut = min(max(Double(value) * share / levels, -clipping), clipping)
        let exact = (cut + clipping) * levels / (2 * clipping)
        // Up or down by chance, so that the mean is right.
        let below = exact.rounded(.down)
        numbers.append(UInt64(below) + (Double.random(in: 0..<1, using: &random) < exact - below ? 1 : 0))
      }
    }
    Self.add(drawn(seed, numbers.count), to: &numbers, isSubtracted: false)
    let words = Self.mark + Array(common.utf8)
    for other in shares.keys.sorted() where other != node {
      let neighbour = neighbours[other]!
      let secret = try maskKey.secret(
        sharedWith: neighbour.maskKey, words: neighbour.isMarked ? words : [])
      let mask =
        neighbour.isMarked
        ? DeviceMask.numbers(numbers.count, key: secret, modulus: settings.modulus)
        : drawn(Array(SealedBytes.urlText(secret).utf8), numbers.count)
      Self.add(mask, to: &numbers, isSubtracted: node < other)
    }
    let sent = numbers.map { Int64($0 & (settings.modulus - 1)) }
    var (files, start) = ([[sent[0]].npy(shape: [1])], 1)
    for array in result.arrays {
      files.append(Array(sent[start..<start + array.values.count]).npy(shape: array.shape))
      start += array.values.count
    }
    next = .unmask
    return ValueRecord([.init("masked_params", .byteStrings(files))])
  }

  /// The hash of all that a server has to send to each device alike: the settings, the weights, and what it says of the round.
  func common(_ request: RecordDict) -> String {
    let rest = RecordDict(request.items.filter { $0.name != SecureStage.record })
    let parts = MessageParts(Message(MessageMetadata(), .records(rest)))
    return SHA256.name(of: record.body + Array(parts.tree.name.utf8))
  }

  private func drawn(_ seed: [UInt8], _ count: Int) -> [UInt64] {
    var mask = SecureMask(seed: seed, modulus: settings.modulus)
    return (0..<count).map { _ in mask.next() }
  }

  private static func add(_ mask: [UInt64], to numbers: inout [UInt64], isSubtracted: Bool) {
    for (row, number) in mask.enumerated() {
      numbers[row] = isSubtracted ? numbers[row] &- number : numbers[row] &+ number
    }
  }

  // MARK: The end

  /// Shares of the seeds of those that are in the sum.
  ///
  /// - Throws: `FederatedError.answer` where one has dropped out of it, whose mask key would be needed.
  func unmask(_ record: ValueRecord, node: UInt64) throws(FederatedError) -> ValueRecord {
    try expect(.unmask, node)
    let (active, dead) = (try Self.nodes(record, "active_nids"), try Self.nodes(record, "dead_nids"))
    guard dead.isEmpty else {
      throw .answer(
        "device \(dead[0]) has left the server's secure aggregation, as the server says, and keys to masks are not given: the "
          + "round is lost, the next one begins with 'setup'")
    }
    let given = try active.map { other throws(FederatedError) in
      guard let own = shares[other] else {
        throw .answer(
          "the server's secure aggregation asks for a share of device \(other), which has given none")
      }
      return own
    }
    return ValueRecord([.init("nids", Self.nodes(active)), .init("shares", .byteStrings(given))])
  }

  // MARK: Numbers of devices

  /// As Flower writes them: with a sign where all have room for one.
  private static func nodes(_ nodes: [UInt64]) -> RecordValue {
    let signed = nodes.compactMap { Int64(exactly: $0) }
    return signed.count == nodes.count ? .integers(signed) : .unsigneds(nodes)
  }

  private static func nodes(_ record: ValueRecord, _ name: String) throws(FederatedError) -> [UInt64] {
    switch record[name] {
    case .unsigneds(let nodes)?: return nodes
    case .integers(let nodes)? where nodes.allSatisfy({ $0 >= 0 }): return nodes.map { UInt64($0) }
    // Of a list without elements Flower does not know what they would be.
    case .booleans(let nodes)? where nodes.isEmpty: return []
    case _: throw .answer("the server's secure aggregation does not list devices as '\(name)'")
    }
  }

  /// The lowest byte first.
  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
