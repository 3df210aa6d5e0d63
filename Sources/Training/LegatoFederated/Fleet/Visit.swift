// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A device at the server, from its registration on.
struct Visit {
  let link: SuperLink
  let fleet: FleetClient
  var state: NodeState
  var answer: RequestAnswer
  var hasBeenIn = false
  var isIn = false
  /// Whether the server has stayed away while a request was answered that came behind the last round.
  private(set) var isForsaken = false
  /// Messages that were answered, the latest last: one may come twice.
  private var answered: [String] = []
  private var trained = 0
  /// The run of the latest message.
  private var serverRun: UInt64 = 0
  /// The objects of the latest message, by their names: what is judged is often what the next round begins with.
  private var held: [String: [UInt8]] = [:]
  /// The message that this run has begun to answer.
  private var begun: String?

  /// So many runs of a device may end while they answer a message.
  private static let mostBeginnings: UInt64 = 2
  /// So many objects of an answer may not be stored in a row.
  private static let mostRefusals = 3

  init(link: SuperLink, fleet: FleetClient, state: NodeState, answer: RequestAnswer) {
    (self.link, self.fleet, self.state, self.answer) = (link, fleet, state, answer)
  }

  mutating func run(
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void, wellDone: () -> Void
  ) throws(FederatedError) {
    if try !isKnown(isCancelled) {
      let isRegistered = try fleet.register(isCancelled)
      let node = try fleet.activate(isRegistered: isRegistered, isCancelled)
      if node != state.node {
        state.node = node
        state.forgetMessage()
      }
    }
    let node = state.node
    (hasBeenIn, isIn) = (true, true)
    try state.save()
    report(.connected(node: node))
    let heartbeat = Heartbeat(fleet, node, every: 0.8 * FleetClient.heartbeat)
    defer { heartbeat.end() }
    do throws(FederatedError) {
      try serve(node, heartbeat, isCancelled, report, wellDone)
    } catch {
      if case .cancelled = error {
        // Whoever ends on purpose may begin the round again as often as they like.
        state.beginnings = 0
        _ = try? state.save()
      }
      throw error
    }
  }

  /// Whether the server knows the device by its number of before: then a sign of life says that it is there again.
  ///
  /// Whoever says first that it is not there, as one that was killed did not, loses what the server keeps for it.
  private func isKnown(_ isCancelled: () -> Bool) throws(FederatedError) -> Bool {
    guard state.node != 0 else { return false }
    do throws(FederatedError) {
      return try fleet.beat(state.node, seconds: link.patience, isCancelled)
    } catch {
      switch error {
      case .unreachable, .cancelled: throw error
      case .refused, .server, .answer, .key, .memory, .unsupported: return false
      }
    }
  }

  /// Leaves, for good where the key was made for this run.
  func leave() {
    let end = DispatchTime.now() + 3
    _ = try? fleet.deactivate(state.node) { .now() > end }
    if link.isPassing { _ = try? fleet.unregister(state.node) { .now() > end } }
  }

  private mutating func serve(
    _ node: UInt64, _ heartbeat: Heartbeat, _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void,
    _ wellDone: () -> Void
  ) throws(FederatedError) {
    var pauses = link.pauses
    while true {
      if isCancelled() { throw .cancelled }
      if heartbeat.isForgotten {
        throw .refused("\(fleet.address): the server does not know this device any more")
      }
      var next = state.pulled
      let isRemembered = next != nil
      if next == nil { next = try fleet.pull(node, isCancelled) }
      guard let pulled = next else {
        // What comes behind the last training, such as its judging, may have to wait for slower devices.
        let isOver = try hasLearned ? !fleet.goesOn(serverRun, node, isCancelled) : false
        wellDone()
        if isOver { return }
        try Pauses.wait(pauses.take(), isCancelled)
        continue
      }
      let isNew = !answered.contains(pulled.metadata.name)
      let isLast = isNew && hasLearned && pulled.metadata.kind == "train"
      if isNew {
        state.pulled = pulled
        if begun != pulled.metadata.name {
          (begun, state.beginnings) = (pulled.metadata.name, state.beginnings + 1)
        }
        try state.save()
        try serve(pulled, isRemembered: isRemembered, node, isCancelled, report)
        answered = answered.suffix(1023) + [pulled.metadata.name]
        serverRun = pulled.metadata.run
        wellDone()
      }
      state.forgetMessage()
      try state.save()
      if isLast { return }
      if isNew { pauses.restart() }
      try Pauses.wait(pauses.take(), isCancelled)
    }
  }

  /// Whether all rounds are over that the device is there for.
  var hasLearned: Bool { link.rounds.map { trained >= $0 } ?? false }

  /// Answers one message.
  private mutating func serve(
    _ pulled: FleetClient.Pulled, isRemembered: Bool, _ node: UInt64, _ isCancelled: () -> Bool,
    _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) {
    let metadata = pulled.metadata
    var round = Int(metadata.group)
    func fail(_ reason: String, in round: Int?) {
      report(.failed(kind: metadata.kind, round: round, run: metadata.run, reason: reason))
    }
    do throws(FederatedError) {
      guard !isRemembered || metadata.created + metadata.lifetime > Date().timeIntervalSince1970 else {
        throw .answer(
          "the time of the request that this device had begun to answer is over, and it leaves it")
      }
      guard metadata.destination == node else { throw .answer("the server's message is for another device") }
      var (received, seconds) = (0, 0.0)
      let served: RequestAnswer.Served
      do throws(FederatedError) {
        guard state.beginnings <= Self.mostBeginnings else {
          throw .answer(
            "the device has ended \(Self.mostBeginnings) times while it answered this request, and leaves it")
        }
        guard !hasLearned || metadata.kind != "train" else {
          throw .answer("this device was there for rounds of training that are over (\(trained)), and leaves")
        }
        let bounds = answer.bounds
        received = try pull(pulled.tree, within: bounds, run: metadata.run, node, isCancelled, report)
        let request = try MessageParts(pulled.tree, held).message(within: bounds).content
        // Weights that have learned are others than these; a configuration may come again.
        if metadata.kind == "train" { held = held.filter { $0.value.count < 1 << 12 } }
        let clock = ContinuousClock()
        let begin = clock.now
        served = try answer.content(for: Message(metadata, request))
        let (whole, rest) = (clock.now - begin).components
        seconds = Double(whole) + Double(rest) * 1e-18
      } catch {
        // What the server says cannot be: it is told so, as with a request that is not served.
        guard case .answer(let reason) = error else { throw error }
        served = RequestAnswer.Served(
          content: .error(MessageError(.preconditionFailed, reason)), result: nil,
          configuration: RoundConfiguration(), reason: reason)
      }
      round = (try? served.configuration.round) ?? round
      let time = state.answerTime ?? Date().timeIntervalSince1970
      state.answerTime = time
      if metadata.kind == "train", let result = served.result {
        state.exposure += result.noise.map { 1 / ($0 * $0) } ?? .infinity
      }
      // Before it goes: an answer whose way is cut off may have arrived.
      try state.save()
      let answerMetadata = metadata.answer(at: time)
      var isError = false
      if case .error = served.content { isError = true }
      let sent: Int
      do {
        // Whether the server takes the answer or not: its owner reads why it is an error.
        defer { if let reason = served.reason { fail(reason, in: isError ? round : nil) } }
        sent = try push(
          MessageParts(Message(answerMetadata, served.content)), answerMetadata, served.content, seconds,
          node,
          isCancelled, report)
      }
      if !isError {
        // A round of a secure aggregation is over when its sum can be read.
        if metadata.kind == "train", served.stage == nil || served.stage == .unmask { trained += 1 }
        report(
          .answered(
            SuperLink.Round(
              kind: metadata.kind, round: try? served.configuration.round, run: metadata.run,
              stage: served.stage?.rawValue, neighbours: served.neighbours, result: served.result,
              exposure: state.exposure, seconds: seconds, received: received, sent: sent)))
      }
    } catch {
      switch error {
      // This message cannot be served; the next one may be.
      case .server, .answer, .unsupported, .key:
        fail(error.description, in: round)
      case .unreachable:
        isForsaken = true
        throw error
      case .cancelled, .refused, .memory: throw error
      }
    }
  }

  /// Holds the objects of a message, and no others: those that come are checked one by one.
  ///
  /// - Returns: the bytes that came.
  private mutating func pull(
    _ tree: ObjectTree, within bounds: MessageBounds, run: UInt64, _ node: UInt64,
    _ isCancelled: () -> Bool,
    _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) -> Int {
    let names = tree.names
    let wanted = Set(names)
    held = held.filter { wanted.contains($0.key) }
    let most = min(link.mostBytes, bounds.numbers + bounds.words)
    let known = held.values.reduce(0) { $0 + $1.count }
    var left = most - known
    for name in names {
      var pauses = link.pauses
      let end = DispatchTime.now() + link.patience
      while held[name] == nil {
        let content = try patiently(isCancelled, report) { () throws(FederatedError) in
          try fleet.pullObject(name, run: run, node, most: left + MessageParts.chunk, isCancelled)
        }
        if let content {
          left -= content.count
          guard left >= 0 else {
            throw .answer(
              "the server's message has more than \(most) bytes, which are the most here: is its program for another model?"
            )
          }
          guard SHA256.name(of: content) == name else {
            throw .answer("the object \(name.prefix(12)) has another hash than its name says")
          }
          held[name] = content
        } else {
          guard .now() < end else {
            throw .answer(
              "the server has not had the object \(name.prefix(12)) of its message for \(Int(link.patience.rounded(.up))) s"
            )
          }
          try Pauses.wait(pauses.take(), isCancelled)
        }
      }
    }
    return most - known - left
  }

  /// Delivers an answer, then tells the server that its message has arrived.
  private func push(
    _ parts: MessageParts, _ metadata: MessageMetadata, _ content: Message.Content, _ seconds: Double,
    _ node: UInt64,
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) -> Int {
    var error: MessageError?
    if case .error(let reason) = content { error = reason }
    let (names, root) = (parts.tree.names, parts.tree.name)
    var (sent, refused, refusals) = (0, nil as String?, 0)
    repeat {
      let (wanted, session) = try patiently(isCancelled, report) { () throws(FederatedError) in
        try fleet.push(metadata, error, parts.tree, seconds: seconds, node, isCancelled)
      }
      // No answer has its name of another one's: a server that takes it wants it, until this object, the last, has come.
      guard wanted.contains(root) else {
        if refused == root { break }
        throw .answer("the server has not taken the answer: it has one, or waits for it no longer")
      }
      refused = nil
      for name in names where refused == nil && wanted.contains(name) {
        let content = parts.contents[name]!
        let isStored = try patiently(isCancelled, report) { () throws(FederatedError) in
          try fleet.pushObject(name, content, session: session, run: metadata.run, node, isCancelled)
        }
        sent += content.count
        // Its word of what it has stored was lost, or it has forgotten the answer since: another push tells what it wants.
        if isStored { refusals = 0 } else { (refused, refusals) = (name, refusals + 1) }
      }
      guard refusals < Self.mostRefusals else {
        throw .answer("the server has not stored an object of the answer")
      }
    } while refused != nil
    // The server only clears up by it: a run that is over has done so.
    _ = try? fleet.confirm(metadata.answers, run: metadata.run, node, isCancelled)
    return sent
  }

  /// Calls again and again while the network is away: a round's work is not lost by that. Behind the last round there is an
  /// end to it.
  private func patiently<Result>(
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void,
    _ body: () throws(FederatedError) -> Result
  ) throws(FederatedError) -> Result {
    var pauses = Pauses(from: link.away.first, to: link.away.longest)
    let end = ContinuousClock.now + .seconds(link.patience)
    while true {
      do throws(FederatedError) { return try body() } catch {
        guard case .unreachable(let reason, _) = error, !hasLearned || .now < end else { throw error }
        let pause = pauses.take()
        report(.lost(reason: reason, pause: pause))
        try Pauses.wait(pause, isCancelled)
      }
    }
  }
}
