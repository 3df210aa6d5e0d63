// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSONReading
internal import ProtobufWire

/// The calls of Flower's Fleet API: protocol buffers by HTTP, each request signed.
///
///     POST /v1/fleet/pull-messages          flwr-public-key, flwr-timestamp, flwr-signature
///
/// What comes back is a stranger's: sizes are bounded, and nothing is taken for granted.
package struct FleetClient: Sendable {
  /// How long the server waits for a sign of life, in seconds.
  static let heartbeat = 30.0

  private let connection: HTTPConnection
  /// The server's address, as messages begin with it that say whether it is there.
  var address: String { connection.address }
  private let key: SigningKey
  private let seconds: Double
  private let mostBytes: Int

  /// - Parameters:
  ///   - address: `http://host:port`.
  ///   - key: tells the server who calls.
  ///   - seconds: the longest time that a call may take, beside that of its bytes.
  ///   - mostBytes: the most bytes of an answer.
  ///   - rootCertificates: the authorities that are believed over https; nil for those of the system.
  package init(
    _ address: String, key: SigningKey, seconds: Double, mostBytes: Int,
    rootCertificates: RootCertificates? = nil
  ) throws(FederatedError) {
    connection = try HTTPConnection(address, rootCertificates: rootCertificates)
    (self.key, self.seconds, self.mostBytes) = (key, seconds, mostBytes)
  }

  /// A message with the names of its objects, which are still at the server, and the bytes that told of it.
  package struct Pulled: Hashable, Sendable {
    package let metadata: MessageMetadata
    package let tree: ObjectTree
    package let bytes: [UInt8]

    /// - Parameter bytes: an answer to a pull of messages.
    /// - Returns: nil where there is no message.
    /// - Throws: `FederatedError.answer`.
    package init?(_ bytes: [UInt8]) throws(FederatedError) {
      var (found, tree) = (nil as MessageMetadata?, nil as ObjectTree?)
      try FleetClient.reading(bytes, "a pull of messages") { reader throws(ProtobufError) in
        while let field = try reader.next() {
          if field.number == 2, found == nil {
            var message = try reader.message(field)
            while found == nil, let part = try message.next() {
              if part.number == 1 { found = try MessageMetadata(message.message(part)) }
            }
          }
          if field.number == 3, tree == nil { tree = try FleetClient.tree(reader.message(field)) }
        }
      }
      guard let metadata = found else { return nil }
      guard let tree, tree.name == metadata.name, !metadata.kind.isEmpty else {
        throw .answer("the server's message has no name, no kind, or other objects than its own")
      }
      (self.metadata, self.tree, self.bytes) = (metadata, tree, bytes)
    }
  }

  // MARK: Nodes

  /// Makes the key known to the server.
  ///
  /// - Returns: false where the server's owner alone registers devices.
  package func register(_ isCancelled: () -> Bool) throws(FederatedError) -> Bool {
    var writer = ProtobufWriter()
    writer.text(1, key.publicText)
    do throws(FederatedError) {
      _ = try call("register-node", writer, isCancelled)
      return true
    } catch {
      // 23: the server knows the key. 2001: its owner registers devices.
      guard case .server(_, let code?) = error, [23, 2001].contains(code) else { throw error }
      return code == 23
    }
  }

  /// Says that the device is there.
  ///
  /// - Parameter isRegistered: whether the server is certain to know the key.
  /// - Returns: the number by which the server calls it.
  package func activate(
    isRegistered: Bool = true, _ isCancelled: () -> Bool
  ) throws(FederatedError) -> UInt64 {
    var writer = ProtobufWriter()
    writer.text(1, key.publicText)
    writer.double(2, Self.heartbeat)
    var node: UInt64 = 0
    let answer: [UInt8]
    do throws(FederatedError) { answer = try call("activate-node", writer, isCancelled) } catch {
      guard case .server(let text, 2004?) = error else { throw error }
      guard isRegistered || key.isKept else {
        throw .server(
          "\(text): the server's owner registers the keys of devices, and this one is new with each run; give one in a file "
            + "(--key)", code: 2004)
      }
      let unknown =
        isRegistered
        ? ""
        : "the server's owner has not registered this key (ssh-keygen -y -f key.pem > key.pub, and there flwr supernode "
          + "register key.pub), or "
      throw .server(
        "\(text): \(unknown)a device with this key is there already; each needs a key of its own, and one that was killed is "
          + "forgotten after a minute", code: 2004)
    }
    let isWhole: Void? = try? Self.reading(answer, "an activation") { reader throws(ProtobufError) in
      while let field = try reader.next() { if field.number == 1 { node = try field.unsigned } }
    }
    guard isWhole != nil, node != 0 else {
      throw .answer("\(address): the server gives this device no number; \(Self.otherServer)")
    }
    return node
  }

  package func deactivate(_ node: UInt64, _ isCancelled: () -> Bool) throws(FederatedError) {
    var writer = ProtobufWriter()
    writer.unsigned(1, node)
    _ = try call("deactivate-node", writer, isCancelled)
  }

  package func unregister(_ node: UInt64, _ isCancelled: () -> Bool) throws(FederatedError) {
    var writer = ProtobufWriter()
    writer.unsigned(1, node)
    _ = try call("unregister-node", writer, isCancelled)
  }

  /// A sign of life; false where the server does not know the device any more.
  ///
  /// - Parameter seconds: the longest time that it may take: the next one comes soon.
  package func beat(
    _ node: UInt64, seconds: Double = 5, _ isCancelled: () -> Bool
  ) throws(FederatedError) -> Bool {
    var writer = Self.writer(of: node)
    writer.double(2, Self.heartbeat)
    var isKnown = false
    try Self.reading(
      call("send-node-heartbeat", writer, isCancelled, seconds: min(self.seconds, seconds)), "a heartbeat"
    ) { reader throws(ProtobufError) in
      while let field = try reader.next() { if field.number == 1 { isKnown = try field.integer != 0 } }
    }
    return isKnown
  }

  // MARK: Messages

  /// A message for the device; nil where there is none.
  package func pull(_ node: UInt64, _ isCancelled: () -> Bool) throws(FederatedError) -> Pulled? {
    try Pulled(call("pull-messages", Self.writer(of: node), isCancelled))
  }

  /// The bytes of an object; nil where the server does not have them yet.
  package func pullObject(
    _ name: String, run: UInt64, _ node: UInt64, most: Int, _ isCancelled: () -> Bool
  ) throws(FederatedError) -> [UInt8]? {
    var writer = Self.writer(of: node)
    if run != 0 { writer.unsigned(2, run) }
    writer.text(3, name)
    var (isFound, isThere, content) = (false, false, [UInt8]())
    try Self.reading(
      call("pull-object", writer, isCancelled, most: most + 64), "a pull of an object"
    ) { reader throws(ProtobufError) in
      while let field = try reader.next() {
        switch field.number {
        case 1: isFound = try field.integer != 0
        case 2: isThere = try field.integer != 0
        case 3: content = try reader.content(field)
        default: break
        }
      }
    }
    guard isFound else {
      throw .answer("the server does not have the object \(name.prefix(12)) of its message")
    }
    return isThere ? content : nil
  }

  /// Whether a run of the server's goes on.
  package func goesOn(
    _ run: UInt64, _ node: UInt64, _ isCancelled: () -> Bool
  ) throws(FederatedError) -> Bool {
    var writer = Self.writer(of: node)
    if run != 0 { writer.unsigned(2, run) }
    do throws(FederatedError) { _ = try call("get-run", writer, isCancelled) } catch {
      guard case .server(_, let code) = error, Self.isOver(code) else { throw error }
      return false
    }
    return true
  }

  /// Whether an error says that a run is over (2007), or not known any more (2008).
  private static func isOver(_ code: Int?) -> Bool { code == 2007 || code == 2008 }

  /// Says that all objects of a message have arrived.
  package func confirm(
    _ name: String, run: UInt64, _ node: UInt64, _ isCancelled: () -> Bool
  ) throws(FederatedError) {
    var writer = Self.writer(of: node)
    if run != 0 { writer.unsigned(2, run) }
    writer.text(3, name)
    _ = try call("confirm-message-received", writer, isCancelled)
  }

  /// Sends an answer without its objects.
  ///
  /// - Returns: the names of the objects that the server wants, and the session in which it takes them.
  package func push(
    _ metadata: MessageMetadata, _ error: MessageError?, _ tree: ObjectTree, seconds: Double, _ node: UInt64,
    _ isCancelled: () -> Bool
  ) throws(FederatedError) -> (wanted: Set<String>, session: String) {
    var writer = Self.writer(of: node)
    writer.message(2) { message in
      message.message(1) { inner in
        var metadata = metadata
        metadata.name = tree.name
        metadata.write(&inner)
      }
      // Records, if without their objects, or an error.
      if let error { message.message(3) { error.write(&$0) } } else { message.message(2) { _ in } }
    }
    writer.message(3) { Self.write(tree, to: &$0) }
    writer.doubles(4, [seconds])
    var (wanted, session) = (Set<String>(), "")
    try Self.reading(call("push-messages", writer, isCancelled), "a push of a message") {
      reader throws(ProtobufError) in
      while let field = try reader.next() {
        switch field.number {
        case 3: wanted.insert(try reader.text(field))
        case 4: session = try reader.text(field)
        default: break
        }
      }
    }
    return (wanted, session)
  }

  /// Sends an object of an answer; false where the server does not wait for it.
  package func pushObject(
    _ name: String, _ content: [UInt8], session: String, run: UInt64, _ node: UInt64,
    _ isCancelled: () -> Bool
  ) throws(FederatedError) -> Bool {
    var writer = ProtobufWriter(capacity: content.count + 300)
    writer.message(1) { $0.unsigned(1, node) }
    if run != 0 { writer.unsigned(2, run) }
    writer.text(3, name)
    writer.content(4, content)
    if !session.isEmpty { writer.text(5, session) }
    var isStored = false
    try Self.reading(call("push-object", writer, isCancelled), "a push of an object") {
      reader throws(ProtobufError) in
      while let field = try reader.next() { if field.number == 1 { isStored = try field.integer != 0 } }
    }
    return isStored
  }

  // MARK: Bytes

  private static func writer(of node: UInt64) -> ProtobufWriter {
    var writer = ProtobufWriter()
    writer.message(1) { $0.unsigned(1, node) }
    return writer
  }

  private static func write(_ tree: ObjectTree, to writer: inout ProtobufWriter) {
    writer.text(1, tree.name)
    for child in tree.children { writer.message(2) { write(child, to: &$0) } }
  }

  private static func tree(_ reader: ProtobufReader) throws(ProtobufError) -> ObjectTree {
    var reader = reader
    var (name, children) = ("", [ObjectTree]())
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try reader.text(field)
      case 2: children.append(try tree(reader.message(field)))
      default: break
      }
    }
    guard SHA256.isName(name) else {
      throw ProtobufError(at: reader.start, "an object has a name that is no hash")
    }
    return ObjectTree(name, children)
  }

  fileprivate static func reading(
    _ bytes: [UInt8], _ what: String, _ body: (inout ProtobufReader) throws(ProtobufError) -> Void
  ) throws(FederatedError) {
    var reader = ProtobufReader(bytes, mostFields: 1 << 18)
    do throws(ProtobufError) { try body(&reader) } catch {
      throw .answer("the server's answer to \(what) is damaged, \(error.description)")
    }
  }

  /// What to do where something else than a SuperLink answers.
  static let otherServer =
    "this is no Fleet API: a SuperLink of flwr 1.41 or 1.42 has it, at port 8000 if nothing else was said"

  /// One call: signed, and its answer if all went well.
  private func call(
    _ name: String, _ writer: ProtobufWriter, _ isCancelled: () -> Bool, most: Int? = nil,
    seconds: Double? = nil
  ) throws(FederatedError) -> [UInt8] {
    let time = Self.timestamp()
    let answer = try connection.post(
      "v1/fleet/" + name, writer.bytes,
      headers: [
        "flwr-public-key": Data(key.publicText.utf8).base64EncodedString(), "flwr-timestamp": time,
        "flwr-signature": Data(try key.signature(of: time)).base64EncodedString(),
      ], most: most ?? mostBytes, seconds: seconds ?? self.seconds, isCancelled: isCancelled)
    guard answer.status != 200 else { return answer.bytes }
    let (reason, code) = Self.reason(answer.bytes)
    let text = "the server answers \(name) with \(answer.status)" + (reason.isEmpty ? "" : ": \(reason)")
    let number = code.map { " (code \($0))" } ?? ""
    let placed = "\(address): \(text)"
    switch answer.status {
    case 403 where Self.isOver(code): throw .server(text + number, code: code)
    case 401, 403:
      if let lead = answer.clockLead, abs(lead) > 4 {
        let way = lead > 0 ? "behind" : "ahead of"
        throw .refused(
          "\(placed); the clock of this device is \(Int(abs(lead))) s \(way) the server's, and a signature holds for minutes only: set it"
        )
      }
      throw .refused(
        ["register-node", "activate-node"].contains(name)
          ? "\(placed); the server does not know this key, or its owner has to register it"
          : "\(placed); it does not know this device any more, as after a restart, and the device registers anew"
      )
    case 408, 429, 502, 503, 504: throw .unreachable(placed)
    case 300..<500 where code == nil && answer.status != 413, 501 where code == nil:
      throw .server("\(placed); \(Self.otherServer)")
    case 500...: throw .server("\(placed)\(number); the server's own log says why", code: code)
    default: throw .server(placed + number, code: code)
    }
  }

  /// The time of now: 2026-11-25T21:26:47.123+00:00.
  static func timestamp() -> String {
    let form = ISO8601DateFormatter()
    form.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return form.string(from: Date()).replacing("Z", with: "+00:00")
  }

  /// The words of an error: { "code": 23, "detail": "…" }.
  private static func reason(_ bytes: [UInt8]) -> (text: String, code: Int?) {
    guard let members = try? PythonJSON.members(Array(bytes.prefix(1 << 16)), of: "an error") else {
      return ("", nil)
    }
    let detail = members.first { $0.key == "detail" }?.value.text ?? ""
    let code = members.first { $0.key == "code" }?.value
    guard case .number(let number)? = code?.content else {
      return (detail.isEmpty ? "" : quotedShort(detail), nil)
    }
    return (detail.isEmpty ? "" : quotedShort(detail), Int(exactly: number))
  }
}
