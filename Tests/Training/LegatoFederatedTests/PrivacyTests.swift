// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

/// Noise is as much as is said, and epsilon is what another accountant states.
@Suite struct PrivacyTests {
  @Test func epsilons() throws {
    for reference in FederatedReference.privacy {
      let privacy = try UpdatePrivacy(norm: 1, noise: reference.noise, delta: reference.delta)
      let epsilon = privacy.epsilon(rounds: reference.rounds)
      #expect(abs(epsilon - reference.epsilon) <= 1e-9 * max(1, reference.epsilon), "\(reference)")
    }
    #expect(FederatedReference.privacy.count == 72)
    let privacy = try UpdatePrivacy(norm: 1, noise: 2)
    #expect(privacy.epsilon(exposure: 3 / 4 + 1) > privacy.epsilon(rounds: 3))
    #expect(privacy.epsilon(exposure: .infinity) == .infinity)
  }

  /// The way is shortened over all arrays together, in its direction; a short one stays as it is.
  @Test(arguments: [(0.5, 0.1), (20, 1)] as [(Double, Double)]) func shortened(norm: Double, share: Double)
    throws
  {
    let begin = [Tensor([1, 2]), Tensor(3)]
    let now = [Tensor([4, 2]), Tensor(7)]
    var random = SplitMix(seed: 1)
    let privacy = try UpdatePrivacy(norm: norm, noise: 1e-9)
    let sent = try privacy.sent(now, from: begin, using: &random)
    for (made, wanted) in zip(sent.flatMap(\.values), [1 + 3 * share, 2, 3 + 4 * share]) {
      #expect(abs(Double(made) - wanted) < 1e-5)
    }
  }

  @Test func noise() throws {
    var random = SplitMix(seed: 2)
    let zeros = [Tensor([Float](repeating: 0, count: 100_000))]
    let sent = try UpdatePrivacy(norm: 0.5, noise: 3).sent(zeros, from: zeros, using: &random)[0].values
    let deviation = (sent.reduce(0.0) { $0 + Double($1) * Double($1) } / 100_000).squareRoot()
    #expect(abs(deviation - 1.5) < 0.02)
    #expect(abs(sent.reduce(0.0) { $0 + Double($1) } / 100_000) < 0.02)
    let outside = sent.filter { abs($0) > 3 }.count
    #expect((4300...4800).contains(outside), "\(outside) of 4550 beyond two deviations")
  }

  /// Scores of training stay, and what goes is not what was learned; a server that asks for the device's own weights
  /// gets no others, whether the trainer keeps a round or not.
  @Test(arguments: [true, false]) func aClient(overwrites: Bool) throws {
    let trainer = try Line.trainer(batch: 4)
    let client = TrainerClient(
      trainer, try Line.data(16), epochs: 3, overwrites: overwrites,
      privacy: try UpdatePrivacy(norm: 0.01, noise: 0.1))
    let begin = client.parameters.map(\.values)
    let result = try client.fit(begin, RoundConfiguration())
    #expect(result.metrics.isEmpty && result.examples == 16 && result.noise == 0.1)
    #expect(client.parameters.map(\.values) == (overwrites ? result.arrays : begin))
    var asked = RequestAnswer(client: client)
    var metadata = MessageMetadata()
    metadata.kind = "get_parameters"
    guard
      case .records(let records) = try asked.content(for: Message(metadata, .records(RecordDict()))).content
    else { return #expect(Bool(false), "an error") }
    let sent = try #require(records.arrays("getparametersres.parameters"))
    #expect(
      try sent.items.map { try $0.array.tensor(named: "").values }
        == (overwrites ? result.arrays : begin).map(\.values))
    #expect(result.arrays != begin)
    let way = zip(result.arrays, begin).flatMap { zip($0.values, $1.values) }.map { Double($0.0 - $0.1) }
    #expect(way.reduce(0) { $0 + $1 * $1 }.squareRoot() < 0.03)
  }
}
