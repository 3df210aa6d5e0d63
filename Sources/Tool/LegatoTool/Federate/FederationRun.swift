// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoFederated
internal import LegatoTraining

/// `legato federate --server`: a device that serves a SuperLink, with a line for each round.
struct FederationRun {
  private let own: FederationSetup
  private let link: SuperLink?
  private let server: String
  private let isDry: Bool

  init(_ arguments: Arguments) throws {
    for option in [Option.strategy, .deal, .fraction] where arguments.has(option) {
      throw Failure.usage("--\(option.name) is of use with --simulate N only")
    }
    isDry = arguments.has(.dryRun)
    server = arguments.value(of: .server) ?? ""
    guard isDry || !server.isEmpty else {
      throw Failure.usage(
        "--server is missing: the SuperLink, such as http://127.0.0.1:8000; or --simulate N plays devices here")
    }
    let rounds = try arguments.integer(.rounds, in: 1...1_000_000)
    if let path = arguments.value(of: .certificates) { try SuperLink.trust(certificatesIn: path) }
    own = try FederationSetup(arguments)
    guard !isDry else {
      link = nil
      return
    }
    let key = arguments.value(of: .key)
    var link = try SuperLink(server, key: key.map { try SigningKey.reading(orMakingAt: $0).key })
    link.memory = key.map { $0 + ".node" }
    link.rounds = rounds
    link.waits = arguments.has(.wait)
    self.link = link
  }

  /// A line of the report.
  private struct Line: Encodable {
    let kind: String
    let round: Int?
    let examples: Int?
    let metrics: [String: Double]
    let seconds: Double
    let received, sent: Int
  }

  func run(_ console: Console) throws {
    let trainer = try own.trainer()
    if isDry { return try console.print(Self.listing(trainer, own)) }
    guard let link else { return }
    console.notice(
      "\(own.setup.path): \(counted(own.training.count, "example")) to learn from"
        + (own.held.map { ", \($0.count) held back" } ?? ""))
    Interruption.begin()
    _ = Interruption.beginAsking()
    defer { console.endProgress() }
    var lines: [Line] = []
    var flaw: (any Error)?
    let client = TrainerClient(trainer, own.training, judgingBy: own.held, epochs: own.epochs, seed: own.seed) { now in
      console.progress(
        "epoch \(now.epoch) of \(now.epochs): batch \(now.batch) of \(now.batches), \(TrainingRun.text(now.scores))")
      return Interruption.isAsked ? .stop : .goOn
    }
    // Weights are those of the first line until a server sends others; a run that is stopped keeps what it has.
    try link.run(client, isCancelled: { Interruption.isAsked || flaw != nil }) { event in
      console.endProgress()
      switch event {
      case .connected(let node): console.notice("\(server): node \(node)")
      case .lost(let reason, let pause):
        console.notice("\(reason); again in \(String(format: "%.1f", pause)) s")
      case .failed(let kind, let reason): console.error("\(server): \(kind) not served: \(reason)")
      case .answered(let round):
        let examples = round.result?.examples
        lines.append(
          Line(
            kind: round.kind, round: round.round, examples: examples, metrics: round.result?.metrics ?? [:],
            seconds: round.seconds, received: round.received, sent: round.sent))
        console.notice(
          (round.round.map { "round \($0): " } ?? "") + round.kind
            + (round.result.map { ", \(TrainingRun.text($0.metrics)), \(counted($0.examples, "example"))" } ?? "")
            + ", \(String(format: "%.2f", round.seconds)) s, \(round.received) bytes in, \(round.sent) out")
        guard round.result != nil else { return }
        do { try own.write(trainer) } catch { flaw = error }
      }
    }
    try own.write(lines, console)
    if let flaw { throw flaw }
  }

  /// What a server would get that asks for it.
  private static func listing(_ trainer: Trainer, _ own: FederationSetup) -> String {
    let arrays = trainer.learned.map { ($0, trainer.weights(named: $0)!) }
    let width = arrays.map(\.0.count).max() ?? 0
    var text = "of training:\n"
    for (name, tensor) in arrays {
      text +=
        "  " + name.padding(toLength: width, withPad: " ", startingAt: 0)
        + "  \(tensor.shape)  \(tensor.npy.count) bytes\n"
    }
    let scores = (["loss"] + own.setup.task.metrics.keys.sorted()).joined(separator: ", ")
    text += "  the number of examples, \(own.training.count); the means of \(scores)\n"
    text += "of judging:\n  the number of examples, \((own.held ?? own.training).count); the means of \(scores)\n"
    return text + "of properties:\n  examples, arrays, program\n"
  }
}
