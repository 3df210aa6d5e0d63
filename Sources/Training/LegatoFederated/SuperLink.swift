// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A server of Flower's, the SuperLink, as a device sees it.
///
///     let link = SuperLink("http://127.0.0.1:8000", key: try .init(contentsOf: "key.pem"))
///     try link.run(client)
///
/// The device asks for messages; nothing is sent that was not asked for. Where the network or the server goes away it comes
/// back with growing pauses.
public struct SuperLink: Sendable {
  /// What happens in a run, for whoever looks on.
  public enum Event: Sendable {
    /// The server knows the device by this number.
    case connected(node: UInt64)
    /// The server cannot be had; the next try is some seconds away.
    case lost(reason: String, pause: Double)
    /// A request was answered.
    case answered(Round)
    /// A request could not be answered, or the answer not be delivered.
    case failed(kind: String, reason: String)
  }

  /// A request that was answered.
  public struct Round: Hashable, Sendable {
    /// `train`, `evaluate` …
    public let kind: String
    /// The round, as the server calls it; nil where it does not.
    public let round: Int?
    /// Nil where nothing was computed.
    public let result: FederatedResult?
    /// The time that the client took.
    public let seconds: Double
    /// Bytes of objects that came, and went.
    public let received, sent: Int
  }

  private let address: String
  private let key: SigningKey
  /// Whether the device leaves for good in the end.
  private let isPassing: Bool
  /// Whether a server that is not there yet is waited for.
  public var waits = false
  /// After so many rounds of training the run ends, once nothing comes for some seconds; nil: never.
  public var rounds: Int?
  /// The most bytes of the objects of a message, or of one answer.
  public var mostBytes = 256 << 20
  /// The longest time that a call may take, in seconds.
  public var patience = 60.0
  /// A file in which the device remembers the round that it is in, over its own end; nil for none.
  public var memory: String?
  /// Pauses while there is nothing to do, and while the server is away; how long the end of a run waits. In seconds.
  package var idle = (first: 0.1, longest: 1.0)
  package var away = (first: 1.0, longest: 20.0)
  package var linger = 5.0

  /// - Parameters:
  ///   - address: `http://host:8000`, or https.
  ///   - key: tells the server who calls; nil is a device that the server has never seen, and will not see again.
  /// - Throws: `FederatedError.key`.
  public init(_ address: String, key: SigningKey? = nil) throws(FederatedError) {
    self.address = address
    if let key { self.key = key } else { self.key = try SigningKey() }
    isPassing = key == nil
  }

  /// Trusts the authorities of a file, for all connections of this process, in place of the system's.
  ///
  /// - Parameter path: certificates in PEM.
  /// - Throws: `FederatedError.key` where the file has none.
  public static func trust(certificatesIn path: String) throws(FederatedError) {
    guard let data = FileManager.default.contents(atPath: path),
      String(decoding: data, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
    else { throw .key("\(path): holds no certificate in PEM") }
    // Foundation's own door to libcurl, on Linux.
    unsafe setenv("URLSessionCertificateAuthorityInfoFile", (path as NSString).standardizingPath, 1)
  }

  /// Serves the server's requests until somebody asks for the end, or the rounds are over.
  ///
  /// - Parameters:
  ///   - client: the device's part.
  ///   - isCancelled: is asked now and then; true ends the run.
  ///   - report: is told what happens.
  /// - Throws: `FederatedError` where there is no server, or it does not let the device in.
  public func run(
    _ client: some FederatedClient, isCancelled: () -> Bool = { false }, report: (Event) -> Void = { _ in }
  ) throws(FederatedError) {
    let fleet = try FleetClient(address, key: key, seconds: patience, mostBytes: min(mostBytes, 64 << 20))
    var visit = Visit(link: self, fleet: fleet, state: NodeState(path: memory), answer: RequestAnswer(client: client))
    var pauses = Pauses(from: away.first, to: away.longest)
    while true {
      do throws(FederatedError) {
        return try visit.run(isCancelled, report) { pauses.restart() }
      } catch {
        switch error {
        case .cancelled: return
        // Who was in once comes back, whatever the server says now: it may have begun anew.
        case .unreachable where visit.hasBeenIn || waits, .server where visit.hasBeenIn, .answer where visit.hasBeenIn,
          .refused where visit.hasBeenIn && visit.isIn:
          visit.isIn = false
          let pause = pauses.take()
          report(.lost(reason: error.description, pause: pause))
          do throws(FederatedError) { try Pauses.wait(pause, isCancelled) } catch { return }
        case .unreachable, .refused, .server, .answer, .key, .unsupported: throw error
        }
      }
    }
  }

  /// Leaves, for good where the key was made for this run.
  fileprivate func leave(_ fleet: FleetClient, _ node: UInt64) {
    let end = DispatchTime.now() + 3
    _ = try? fleet.deactivate(node) { .now() > end }
    if isPassing { _ = try? fleet.unregister(node) { .now() > end } }
  }
}

/// A device at the server, from its registration on.
private struct Visit {
  let link: SuperLink
  let fleet: FleetClient
  var state: NodeState
  let answer: RequestAnswer
  var hasBeenIn = false
  var isIn = false
  /// Messages that were answered, the latest last: one may come twice.
  private var answered: [String] = []
  private var trained = 0

  init(link: SuperLink, fleet: FleetClient, state: NodeState, answer: RequestAnswer) {
    (self.link, self.fleet, self.state, self.answer) = (link, fleet, state, answer)
  }

  mutating func run(
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void, wellDone: () -> Void
  ) throws(FederatedError) {
    _ = try fleet.register(isCancelled)
    // A server believes those that were killed to be there still, and lets nobody in twice.
    if state.node != 0 { _ = try? fleet.deactivate(state.node, isCancelled) }
    let node = try fleet.activate(isCancelled)
    if node != state.node { (state.node, state.pulled) = (node, nil) }
    try state.save()
    (hasBeenIn, isIn) = (true, true)
    report(.connected(node: node))
    let heartbeat = Heartbeat(fleet, node, every: 0.8 * FleetClient.heartbeat)
    defer { heartbeat.end() }
    do throws(FederatedError) {
      try serve(node, heartbeat, isCancelled, report, wellDone)
    } catch {
      if case .cancelled = error { link.leave(fleet, node) }
      throw error
    }
    link.leave(fleet, node)
  }

  private mutating func serve(
    _ node: UInt64, _ heartbeat: Heartbeat, _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void,
    _ wellDone: () -> Void
  ) throws(FederatedError) {
    var pauses = Pauses(from: link.idle.first, to: link.idle.longest)
    var last = DispatchTime.now()
    while true {
      if isCancelled() { throw .cancelled }
      if heartbeat.isForgotten { throw .refused("the server does not know this device any more") }
      var next = state.pulled
      if next == nil { next = try fleet.pull(node, isCancelled) }
      guard let pulled = next else {
        wellDone()
        if let rounds = link.rounds, trained >= rounds, .now() > last + link.linger { return }
        try Pauses.wait(pauses.take(), isCancelled)
        continue
      }
      pauses.restart()
      if !answered.contains(pulled.metadata.name) {
        state.pulled = pulled
        try state.save()
        try serve(pulled, node, isCancelled, report)
        answered = answered.suffix(1023) + [pulled.metadata.name]
      }
      state.pulled = nil
      try state.save()
      last = .now()
    }
  }

  /// Answers one message.
  private mutating func serve(
    _ pulled: FleetClient.Pulled, _ node: UInt64, _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) {
    let metadata = pulled.metadata
    do throws(FederatedError) {
      guard metadata.destination == node else { throw .answer("the server's message is for another device") }
      var (received, seconds) = (0, 0.0)
      let served: RequestAnswer.Served
      do throws(FederatedError) {
        let parts = try pull(pulled.tree, run: metadata.run, node, isCancelled, report)
        received = parts.contents.values.reduce(0) { $0 + $1.count }
        let request = try parts.message().content
        let clock = ContinuousClock()
        let begin = clock.now
        served = try answer.content(for: Message(metadata, request))
        let (whole, rest) = (clock.now - begin).components
        seconds = Double(whole) + Double(rest) * 1e-18
      } catch {
        // What the server says cannot be: it is told so, as with a request that is not served.
        guard case .answer(let reason) = error else { throw error }
        served = RequestAnswer.Served(
          content: .error(MessageError(.preconditionFailed, reason)), result: nil, configuration: RoundConfiguration())
      }
      let answerMetadata = metadata.answer(at: Date().timeIntervalSince1970)
      let sent = try push(
        MessageParts(Message(answerMetadata, served.content)), answerMetadata, served.content, seconds, node,
        isCancelled, report)
      if case .error(let error) = served.content {
        report(.failed(kind: metadata.kind, reason: error.reason))
      } else {
        if metadata.kind == "train" { trained += 1 }
        report(
          .answered(
            SuperLink.Round(
              kind: metadata.kind, round: served.configuration.round ?? Int(metadata.group), result: served.result,
              seconds: seconds, received: received, sent: sent)))
      }
    } catch {
      switch error {
      // This message cannot be served; the next one may be.
      case .server, .answer, .unsupported, .key:
        report(.failed(kind: metadata.kind, reason: error.description))
      case .cancelled, .unreachable, .refused: throw error
      }
    }
  }

  /// The objects of a message, checked one by one as they come.
  private func pull(
    _ tree: ObjectTree, run: UInt64, _ node: UInt64, _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) -> MessageParts {
    var (contents, left) = ([String: [UInt8]](), link.mostBytes)
    for name in tree.names {
      var pauses = Pauses(from: link.idle.first, to: link.idle.longest)
      let end = DispatchTime.now() + link.patience
      while contents[name] == nil {
        let content = try patiently(isCancelled, report) { () throws(FederatedError) in
          try fleet.pullObject(name, run: run, node, most: left, isCancelled)
        }
        if let content {
          guard SHA256.name(of: content) == name else {
            throw .answer("the object \(name.prefix(12)) has another hash than its name says")
          }
          left -= content.count
          guard left >= 0 else { throw .answer("a message has more than \(link.mostBytes) bytes, which are the most") }
          contents[name] = content
        } else {
          guard .now() < end else { throw .answer("the server does not have an object of its message") }
          try Pauses.wait(pauses.take(), isCancelled)
        }
      }
    }
    return MessageParts(tree, contents)
  }

  /// Delivers an answer, then tells the server that its message has arrived.
  private func push(
    _ parts: MessageParts, _ metadata: MessageMetadata, _ content: Message.Content, _ seconds: Double, _ node: UInt64,
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void
  ) throws(FederatedError) -> Int {
    var error: MessageError?
    if case .error(let reason) = content { error = reason }
    let (wanted, session) = try patiently(isCancelled, report) { () throws(FederatedError) in
      try fleet.push(metadata, error, parts.tree, seconds: seconds, node, isCancelled)
    }
    var sent = 0
    for name in parts.tree.names where wanted.contains(name) {
      let content = parts.contents[name]!
      try patiently(isCancelled, report) { () throws(FederatedError) in
        try fleet.pushObject(name, content, session: session, run: metadata.run, node, isCancelled)
      }
      sent += content.count
    }
    // The server only clears up by it: a run that is over has done so.
    _ = try? fleet.confirm(metadata.answers, run: metadata.run, node, isCancelled)
    return sent
  }

  /// Calls again and again while the network is away: a round's work is not lost by that.
  private func patiently<Result>(
    _ isCancelled: () -> Bool, _ report: (SuperLink.Event) -> Void,
    _ body: () throws(FederatedError) -> Result
  ) throws(FederatedError) -> Result {
    var pauses = Pauses(from: link.away.first, to: link.away.longest)
    while true {
      do throws(FederatedError) { return try body() } catch {
        guard case .unreachable(let reason) = error else { throw error }
        let pause = pauses.take()
        report(.lost(reason: reason, pause: pause))
        try Pauses.wait(pause, isCancelled)
      }
    }
  }
}
