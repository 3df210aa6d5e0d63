// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
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
  /// Whether the device is the same one in each run, and remembers what it told before.
  private let hasMemory: Bool
  private let security: SecureAggregation?
  private let sharing: SharedWeights
  private var privacy: UpdatePrivacy? { own.privacy }

  init(_ arguments: Arguments) throws {
    for option in [Option.strategy, .deal, .fraction] where arguments.has(option) {
      throw Failure.usage("--\(option.name) is of use with --simulate N only")
    }
    let isDry = arguments.has(.dryRun)
    server = arguments.value(of: .server) ?? ""
    guard isDry || !server.isEmpty else {
      throw Failure.usage(
        "--server is missing: the SuperLink, such as http://127.0.0.1:8000; or --simulate N plays devices here"
      )
    }
    let idle = [Option.output, .roundReport].filter {
      isDry && arguments.has($0)
    }
    guard idle.isEmpty else {
      throw Failure.usage(
        "--dry-run writes nothing: leave out \(idle.map { "--\($0.name)" }.joined(separator: ", "))"
      )
    }
    let rounds = try arguments.integer(.rounds, in: 1...1_000_000)
    let fewest = try arguments.integer(.secureAggregation, in: SecureAggregation.sizes)
    sharing = try arguments.choice(.share, [("learned", SharedWeights.learned), ("all", .all)]) ?? .learned
    guard sharing == .learned || fewest == nil else {
      throw Failure.usage(
        "--share all and --secure-aggregation do not go together: weights that do not learn would come back cut and rounded, as "
          + "those of another model; without --share all they stay here")
    }
    let own = try FederationSetup(arguments)
    self.own = own
    if let place = own.setup.foundLabels, let labels = own.setup.labels {
      let names =
        labels.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ") + (labels.count > 8 ? ", …" : "")
      throw Failure.faults([
        "\(own.setup.path): its output states no 'labels', so that this device numbers the classes by \(place), and another one by "
          + "its own; write those of all devices into the output, in one order: \"labels\": [\(names)]"
      ])
    }
    security = try fewest.map {
      var security = try SecureAggregation(among: $0)
      security.judges = own.held != nil
      return security
    }
    guard !isDry else {
      (link, hasMemory) = (nil, false)
      return
    }
    let key = arguments.value(of: .key)
    var link = try SuperLink(server, key: key.map { try SigningKey.reading(orMakingAt: $0).key })
    link.memory = key.map { $0 + ".node" }
    link.rounds = rounds
    link.secureAggregation = security
    guard !arguments.has(.rootCertificates) || server.hasPrefix("https:") else {
      throw Failure.usage("--root-certificates goes with a server that is called as https://host:8000")
    }
    link.rootCertificates = try arguments.value(of: .rootCertificates).map {
      try RootCertificates(contentsOf: $0)
    }
    link.waits = arguments.has(.wait)
    (self.link, hasMemory) = (link, key != nil)
  }

  /// A line of the report: a request that was answered, or an error in its place.
  private struct Line: Encodable {
    let kind: String
    let round: Int?
    var error: String?
    var stage: String?
    var neighbours, ofLegato: Int?
    var examples: Int?
    var metrics: [String: Double?]?
    var epsilon, seconds: Double?
    var received, sent: Int?
  }

  /// - Parameters:
  ///   - place: the round, as lines begin with it.
  ///   - isForgotten: whether the device's memory is damaged.
  private func text(
    _ round: SuperLink.Round, in place: String, _ epsilon: Double?, isForgotten: Bool
  ) -> String {
    let stage = round.stage.map { ", \($0)" } ?? ""
    var words = [place + round.kind + stage]
    if let result = round.result {
      if !result.metrics.isEmpty { words.append(TrainingRun.text(result.metrics)) }
      words.append(counted(result.examples, "example"))
    }
    if let others = round.neighbours {
      words.append("\(others.ofLegato) of \(others.count) neighbours of Legato")
    }
    if let epsilon {
      words.append(
        epsilon.isFinite
          ? "epsilon \(figure(epsilon, digits: 3)) \(hasMemory ? "until now" : "of this run")"
          : isForgotten
            ? "no epsilon: rounds of this key before are not known"
            : "no epsilon: rounds of this key before went without --privacy")
    }
    words.append("\(String(format: "%.2f", round.seconds)) s")
    return words.joined(separator: ", ") + ", \(round.received) bytes in, \(round.sent) out"
  }

  func run(_ console: Console) throws {
    let trainer = try own.trainer()
    guard let link else {
      return try console.print(listing(TrainerClient(trainer, own.training, sharing: sharing).parameters))
    }
    for note in own.setup.notes { console.notice(note) }
    console.notice(
      "\(own.setup.path): \(counted(own.training.count, "example")) to learn from"
        + (own.held.map { ", \($0.count) held back" } ?? ""))
    Interruption.begin()
    Interruption.beginAsking()
    defer { console.endProgress() }
    var lines: [Line] = []
    var (flaw, rounds, isForgotten, isLearning) = (nil as (any Error)?, 0, false, false)
    var runs: Set<UInt64> = []
    let client = TrainerClient(
      trainer, own.training, sharing: sharing, judgingBy: own.held, epochs: own.epochs, seed: own.seed,
      privacy: privacy
    ) { now in
      isLearning = true
      console.progress(
        "epoch \(now.epoch) of \(now.epochs): batch \(now.batch) of \(now.batches), \(TrainingRun.text(now.scores))"
      )
      return Interruption.isAsked ? .stop : .goOn
    }
    /// The round that a line is about, and where there are more runs than one, which.
    func place(_ run: UInt64, _ round: Int?) -> String {
      runs.insert(run)
      let words = [runs.count > 1 ? "run \(run)" : nil, round.map { "round \($0)" }].compactMap(\.self)
      return words.isEmpty ? "" : words.joined(separator: ", ") + ": "
    }
    func report(_ event: SuperLink.Event) {
      console.endProgress()
      switch event {
      case .connected(let node):
        isLearning = false
        console.notice("\(server): node \(node)")
      case .lost(let reason, let pause):
        console.notice("\(reason); again in \(String(format: "%.1f", pause)) s")
      case .failed(let kind, let round, let run, let reason):
        isLearning = false
        lines.append(Line(kind: kind, round: round, error: reason))
        console.error("\(server): \(place(run, round))\(kind) not served: \(reason)")
      case .ended(let reason): console.notice(reason)
      case .forgotten(let memory):
        isForgotten = true
        console.notice(
          "\(memory): is damaged, or was before; what it remembered is lost"
            + (privacy == nil
              ? ""
              : ", how much this device has told until then, too: there is no epsilon, and only another key begins anew")
        )
      case .answered(let round):
        isLearning = false
        // Of the stages of a secure aggregation one tells something of the data.
        let epsilon =
          round.kind == "train" && round.result != nil ? privacy?.epsilon(exposure: round.exposure) : nil
        lines.append(
          Line(
            kind: round.kind, round: round.round, stage: round.stage,
            neighbours: round.neighbours?.count,
            ofLegato: round.neighbours?.ofLegato, examples: round.result?.examples,
            metrics: finite(round.result?.metrics ?? [:]),
            epsilon: epsilon.flatMap { $0.isFinite ? $0 : nil },
            seconds: round.seconds,
            received: round.received, sent: round.sent))
        console.notice(
          text(round, in: place(round.run, round.round), epsilon, isForgotten: isForgotten))
        guard round.result != nil else { return }
        rounds += round.kind == "train" ? 1 : 0
        do { try own.write(trainer) } catch { flaw = error }
      }
    }
    let result = Result {
      try link.run(client, isCancelled: { Interruption.isAsked || flaw != nil }, report: report)
      if let flaw { throw flaw }
    }
    try own.write(lines, console)
    own.tell(rounds, console)
    try result.get()
    Interruption.endIfAsked {
      guard isLearning else { return }
      console.endProgress()
      console.notice("\(server): ended before a round of training was answered")
    }
  }

  /// A list of what a server would get that asks for it.
  private func listing(_ arrays: [FederatedParameter]) -> String {
    let width = arrays.map(\.name.count).max() ?? 0
    var text =
      security == nil
      ? "of training:\n"
      : "of training, masked (SecAgg+), as whole numbers of 64 bits:\n  its share in the sum, 136 bytes\n"
    for array in arrays {
      let tensor = array.values
      text +=
        "  " + array.name.padding(toLength: width, withPad: " ", startingAt: 0)
        + "  \(tensor.shape)  \(security == nil ? tensor.npy.count : 128 + 8 * tensor.values.count) bytes"
        + (array.isUpdatable ? "\n" : ", does not learn and goes along\n")
    }
    let scores = (["loss"] + own.setup.task.metrics.keys.sorted()).joined(separator: ", ")
    text +=
      "  the number of examples, \(own.training.count)"
      + (security != nil
        ? "; a hash of what came\n"
        : (privacy == nil ? "; the means of \(scores)" : "") + "; norm_bit, if a clipping_norm is said\n")
    text +=
      security == nil
      ? "of get_parameters:\n  the same arrays, as they are here then\n"
      : "of the other stages:\n  two public keys; shares of the seed of a mask, sealed for other devices; shares of theirs\n"
    if security?.judges != false {
      text +=
        "of judging:\n  the number of examples, \((own.held ?? own.training).count); the means of \(scores)\n"
    }
    return text + "of properties:\n  examples, arrays, program\n"
      + "of a request that fails:\n  that it failed, or which of the server's arrays or settings cannot be\n"
  }
}
