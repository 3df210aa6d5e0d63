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
  /// An event of a run, for whoever looks on.
  public enum Event: Sendable {
    /// The server knows the device by this number.
    case connected(node: UInt64)
    /// The server cannot be had; the next try is some seconds away.
    case lost(reason: String, pause: Double)
    /// A request was answered.
    case answered(Round)
    /// A request of a round of a run could not be answered, or the answer not be delivered; the round is nil where the server
    /// does not say it, or it is another one that came to nothing.
    case failed(kind: String, round: Int?, run: UInt64, reason: String)
    /// The server stays away behind the last of the rounds, and the run ends.
    case ended(reason: String)
    /// The device's memory is damaged, or was before another run: how much was told until then is not known any more.
    case forgotten(memory: String)
  }

  /// A request that was answered.
  public struct Round: Hashable, Sendable {
    /// `train`, `evaluate` …
    public let kind: String
    /// The round, as the server calls it; nil where it does not.
    public let round: Int?
    /// The server's run that asks.
    public let run: UInt64
    /// The stage of a secure aggregation, as Flower calls it; nil for a request that is none.
    public let stage: String?
    /// Those with whom the device has masks; nil where nothing was masked.
    public let neighbours: Neighbours?
    /// Nil where nothing was computed.
    public let result: FederatedResult?
    /// The sum of 1 / noise² over all rounds of training until now, those of earlier runs with the same memory, too; ε
    /// follows from it. Infinite where one went without noise.
    public let exposure: Double
    /// The time that the client took.
    public let seconds: Double
    /// Bytes of objects that came, and went.
    public let received, sent: Int
  }

  /// The devices that a device has masks with in a secure aggregation.
  public struct Neighbours: Hashable, Sendable {
    /// How many there are, and how many of these are devices of Legato.
    public let count, ofLegato: Int
  }

  private let address: String
  private let key: SigningKey
  /// Whether the device leaves for good in the end.
  let isPassing: Bool
  /// Whether a server that is not there yet is waited for.
  public var waits = false
  /// After so many rounds of training, and what the server asks behind them, the run ends: when the server's own run is over, or
  /// asks for one more, which is answered with an error, or the server has stayed away for `patience`; nil: never.
  public var rounds: Int?
  /// The most bytes of the objects of a message, or of one answer; less where the model's arrays take less.
  public var mostBytes = 256 << 20
  /// The longest time that a call may take, beside a second for each 10 KB that go or come, that an object of a message may be
  /// missing, and that a server may stay away behind the last round, in seconds, a year at most.
  public var patience = 60.0 {
    didSet { patience = patience > 0 ? min(patience, 365 * 86_400) : 0 }
  }
  /// The authorities that are believed over https; nil for those of the system.
  public var rootCertificates: RootCertificates?
  /// Lets weights go out only in a secure aggregation (SecAgg+); nil gives them to the server as they are.
  public var secureAggregation: SecureAggregation?
  /// A file in which the device remembers the round that it is in, and the exposure of all rounds, over its own end; nil for
  /// none.
  public var memory: String?
  /// Pauses while there is nothing to do, and while the server is away, in seconds.
  package var idle = (first: 0.1, longest: 3.0)
  /// The pauses while there is nothing to do: a round begins late by at most a quarter of the time since the last one.
  var pauses: Pauses { Pauses(from: idle.first, to: idle.longest, factor: 1.25) }
  package var away = (first: 1.0, longest: 20.0)

  /// - Parameters:
  ///   - address: `http://host:8000`, or https.
  ///   - key: tells the server who calls; nil is a device that the server has never seen, and will not see again.
  /// - Throws: `FederatedError.unsupported` where it is no such address, `.key` where no key can be made.
  public init(_ address: String, key: SigningKey? = nil) throws(FederatedError) {
    _ = try HTTPConnection.url(of: address)
    self.address = address
    if let key { self.key = key } else { self.key = try SigningKey() }
    isPassing = key == nil
  }

  /// Serves the server's requests until somebody asks for the end, or the rounds are over.
  ///
  /// - Parameters:
  ///   - client: the device's part.
  ///   - isCancelled: is asked now and then; true ends the run.
  ///   - report: is told what happens.
  /// - Throws: `FederatedError` where there is no server, or it does not let the device in, or another run has the key.
  public func run(
    _ client: some FederatedClient, isCancelled: () -> Bool = { false }, report: (Event) -> Void = { _ in }
  ) throws(FederatedError) {
    try key.hold()
    defer { key.release() }
    let fleet = try FleetClient(
      address, key: key, seconds: patience, mostBytes: min(mostBytes, 16 << 20),
      rootCertificates: rootCertificates)
    let state = try NodeState(path: memory)
    if state.isDamaged, let memory { report(.forgotten(memory: memory)) }
    var visit = Visit(
      link: self, fleet: fleet, state: state,
      answer: RequestAnswer(client: client, security: secureAggregation))
    var pauses = Pauses(from: away.first, to: away.longest)
    var end: ContinuousClock.Instant?
    while true {
      do throws(FederatedError) {
        try visit.run(isCancelled, report) {
          pauses.restart()
          end = nil
        }
        return visit.leave()
      } catch {
        switch error {
        case .cancelled:
          if visit.isIn { visit.leave() }
          return
        // Who was in once comes back, whatever the server says now: it may have begun anew.
        case .unreachable where visit.hasBeenIn || waits, .server where visit.hasBeenIn,
          .answer where visit.hasBeenIn,
          .refused where visit.hasBeenIn && visit.isIn:
          visit.isIn = false
          var pause = pauses.take()
          if visit.hasLearned {
            let last = end ?? .now + .seconds(patience)
            end = last
            guard .now < last, !visit.isForsaken else {
              let time = "\(Int(patience.rounded(.up))) s"
              report(
                .ended(
                  reason:
                    "all rounds are over, and the server has been away for \(time): the run ends (\(error))"))
              return
            }
            pause = min(pause, ContinuousClock.now.duration(to: last) / .seconds(1))
          }
          report(.lost(reason: error.description, pause: pause))
          do throws(FederatedError) { try Pauses.wait(pause, isCancelled) } catch { return }
        case .unreachable, .refused, .server, .answer, .key, .memory, .unsupported:
          if visit.hasBeenIn { visit.leave() }
          throw error
        }
      }
    }
  }
}
