// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import LegatoFederated
internal import LegatoTraining

/// `legato federate --simulate`: many devices in this process, with a line for each round.
struct SimulationRun {
  private let own: FederationSetup
  private let devices, rounds: Int
  private let strategy: Strategy
  private let sharding: Sharding
  private let deal: String
  private let fraction: Double

  init(_ arguments: Arguments) throws {
    for option in [Option.server, .key, .rootCertificates, .wait, .dryRun, .share, .secureAggregation]
    where arguments.has(option) {
      throw Failure.usage(
        "--\(option.name) and --simulate do not go together: devices are played without a server")
    }
    devices = try arguments.integer(.simulate, in: 1...100_000) ?? 1
    rounds = try arguments.integer(.rounds, in: 1...1_000_000) ?? 10
    fraction = try arguments.number(.fraction, in: 1e-6...1) ?? 1
    strategy = try Self.strategy(arguments.value(of: .strategy) ?? "fedavg")
    deal = arguments.value(of: .deal) ?? "even"
    sharding = try Self.sharding(deal)
    own = try FederationSetup(arguments)
  }

  private static func strategy(_ text: String) throws(Failure) -> Strategy {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts.count == 2 ? Double(parts[1]) : nil
    switch (parts[0], number) {
    case ("fedavg", nil) where parts.count == 1: return .fedAvg
    case ("fedprox", let mu?) where mu.isFinite && mu >= 0: return .fedProx(mu: mu)
    case ("fedadam", let rate?) where rate.isFinite && rate > 0: return .fedAdam(rate: rate)
    case _: throw .usage("--strategy takes fedavg, fedprox:MU or fedadam:RATE, not \(quoted(text))")
    }
  }

  private static func sharding(_ text: String) throws(Failure) -> Sharding {
    if text == "even" { return .even }
    if text == "label" { return .byLabel }
    guard text.hasPrefix("dirichlet:"), let alpha = Double(text.dropFirst("dirichlet:".count)),
      (1e-3...1e6).contains(alpha)
    else {
      throw .usage("--deal takes even, label or dirichlet:ALPHA (0.001 to 1000000), not \(quoted(text))")
    }
    return .dirichlet(alpha)
  }

  /// A line of the report.
  private struct Line: Encodable {
    let round: Int
    let scores, validation: [String: Double?]
    let epsilon: Double?
  }

  func run(_ console: Console) throws {
    let trainer = try own.trainer()
    let simulation = try Simulation(
      trainer, own.training, labels: try labels(trainer), devices: devices, sharding: sharding,
      strategy: strategy,
      judgingBy: own.held, epochs: own.epochs, fraction: fraction, seed: own.seed, privacy: own.privacy)
    let (least, most) = (simulation.sizes.min()!, simulation.sizes.max()!)
    for note in own.setup.notes { console.notice(note) }
    console.notice(
      "\(own.setup.path): \(counted(own.training.count, "example")) dealt to \(counted(devices, "device")), "
        + (least == most ? "\(least) each" : "\(least) to \(most) each")
        + (own.held.map { ", \($0.count) held back" } ?? ""))
    Interruption.begin()
    Interruption.beginAsking()
    var lines: [Line] = []
    let result = Result {
      try simulation.run(rounds: rounds, isCancelled: { Interruption.isAsked }) { round in
        lines.append(
          Line(
            round: round.round, scores: finite(round.scores), validation: finite(round.validation),
            epsilon: round.epsilon))
        console.notice(
          "round \(round.round): \(TrainingRun.text(round.scores))"
            + (round.validation.isEmpty ? "" : "; held back: \(TrainingRun.text(round.validation))")
            + (round.epsilon.map { "; epsilon \(figure($0, digits: 3)) until now" } ?? ""))
        return .goOn
      }
      if !lines.isEmpty { try own.write(trainer) }
    }
    try own.write(lines, console)
    try result.get()
    own.tell(lines.count, console)
    Interruption.endIfAsked {
      console.error("federate: interrupted in round \(lines.count + 1) of \(rounds)")
    }
  }

  /// The label of each example: the target where it is one number, or else the place of its largest.
  private func labels(_ trainer: Trainer) throws -> [Int] {
    if sharding == .even { return [Int](repeating: 0, count: own.training.count) }
    let targets = own.setup.task.targets.keys
    let name = trainer.classes?.target ?? (targets.count == 1 ? targets.first! : "target")
    return try (0..<own.training.count).map { index in
      guard let target = try own.training.item(index)[name] else {
        throw Failure.usage(
          "--deal \(deal) looks at the target that says the class, and the data has no \(quoted(name)); of several it is the "
            + "one that the loss has in crossEntropy, or 'target'")
      }
      guard target.count > 1 else { return Int(target.first.map { max(-1e9, min(1e9, $0.rounded())) } ?? 0) }
      return target.indices.max { target[$0] < target[$1] } ?? 0
    }
  }
}
