// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtobufWire
import Synchronization

@testable import LegatoFederated

/// A server that speaks the Fleet API over a socket, and errs where a test says so.
final class FleetDouble: Sendable {
  /// A fault that a test puts in the place of an answer.
  enum Fault: Sendable {
    case status(Int)
    /// A status, and the number of an error.
    case error(Int, code: Int)
    /// A status, and words for people.
    case page(Int)
    case body([UInt8])
    /// Bytes without a head.
    case bare([UInt8])
    /// The head says more bytes than come, then the connection ends.
    case cutOff
    /// Nothing comes.
    case silent
    /// A byte comes now and then, for ever.
    case slow
    /// The answer comes in parts of 1 KB, each after 10 ms.
    case steady
    /// The head promises so many bytes.
    case promise(Int)
    case closed
    /// A clock that is ahead by so many seconds, and an answer of 401.
    case clock(Double)
  }

  /// The end of a connection behind an answer.
  enum Ending: Sendable {
    /// The answer says that it comes.
    case said
    /// It comes all the same.
    case unsaid
    /// The next request may come over it.
    case none
  }

  private struct State {
    var connections = 0
    var queue: [[UInt8]] = []
    var objects: [String: [UInt8]] = [:]
    var calls: [String] = []
    /// The requests whose answers are waited for.
    var waiting: Set<String> = []
    var answers: [(metadata: MessageMetadata, tree: ObjectTree)] = []
    /// The objects of the latest answer that have not come.
    var pending: Set<String> = []
    var pushed: [String: [UInt8]] = [:]
    var confirmed: [String] = []
    var badSignatures = 0
    var isEnded = false
  }

  static let node: UInt64 = 77
  private let state = Mutex(State())
  private let socket: Int32
  let address: String
  private let key: SigningKey?
  private let certificate: ServedConnection.Certificate?
  private let fault: @Sendable (_ path: String, _ call: Int) -> Fault?
  private let runCalls: Int
  private let ending: Ending
  private let reply: (@Sendable (_ path: String, _ request: [UInt8]) -> [UInt8])?

  /// - Parameters:
  ///   - key: the only one that is let in; nil lets in whoever signs with the key that they show.
  ///   - certificate: of a server that speaks TLS.
  ///   - runCalls: how often it says that the run goes on; then it is over.
  ///   - ending: of a connection whose request was answered.
  ///   - fault: says what goes wrong with a call, by its name and how many of the name there were before.
  ///   - reply: answers calls in place of the double, by their names and bytes.
  init(
    _ key: SigningKey?, certificate: ServedConnection.Certificate? = nil, runCalls: Int = 0,
    ending: Ending = .said,
    fault: @escaping @Sendable (_ path: String, _ call: Int) -> Fault? = { _, _ in nil },
    reply: (@Sendable (_ path: String, _ request: [UInt8]) -> [UInt8])? = nil
  ) {
    (self.key, self.certificate, self.reply, self.fault) = (key, certificate, reply, fault)
    (self.runCalls, self.ending) = (runCalls, ending)
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &place) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        let isBound = unsafe bind(socket, pointer, length) == 0 && listen(socket, 64) == 0
        precondition(isBound, "a port is free")
        _ = unsafe getsockname(socket, pointer, &length)
      }
    }
    address = "http\(certificate == nil ? "" : "s")://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
    let thread = Thread { [self] in
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else {
          // Here, where nobody accepts any more: the number may be another double's at once.
          close(socket)
          return
        }
        Thread { self.serve(connection) }.start()
      }
    }
    thread.start()
  }

  func end() {
    state.withLock { $0.isEnded = true }
    shutdown(socket, Int32(SHUT_RDWR))
  }

  // MARK: What a test says and sees

  /// Queues a request.
  ///
  /// - Parameter lifetime: how long an answer is of use, in seconds.
  @discardableResult
  func send(
    _ kind: String, _ records: RecordDict, group: String = "", to node: UInt64 = FleetDouble.node,
    lifetime: Double = 3600,
    changing change: (inout [String: [UInt8]]) -> Void = { _ in }
  ) -> String {
    var metadata = MessageMetadata()
    (metadata.run, metadata.source, metadata.destination) = (5, 1, node)
    (metadata.kind, metadata.group) = (kind, group)
    (metadata.created, metadata.lifetime) = (Date().timeIntervalSince1970, lifetime)
    let parts = MessageParts(Message(metadata, .records(records)))
    var contents = parts.contents
    change(&contents)
    metadata.name = parts.tree.name
    var writer = ProtobufWriter()
    writer.message(2) { inner in inner.message(1) { metadata.write(&$0) } }
    writer.message(3) { Self.write(parts.tree, to: &$0) }
    state.withLock {
      $0.queue.append(writer.bytes)
      $0.waiting.insert(metadata.name)
      $0.objects.merge(contents) { $1 }
    }
    return metadata.name
  }

  /// Waits for the answer to a request no longer, as where the device was away for too long.
  func withdraw(_ name: String) { state.withLock { _ = $0.waiting.remove(name) } }

  /// Forgets the latest answer, whose objects have not all come, as where the device was away for too long.
  func expire() {
    state.withLock {
      if let answer = $0.answers.popLast() { $0.waiting.insert(answer.metadata.answers) }
      ($0.pending, $0.pushed) = ([], [:])
    }
  }

  /// Queues the last request once more.
  func repeatRequest(_ bytes: [UInt8]) { state.withLock { $0.queue.append(bytes) } }
  var queued: [[UInt8]] { state.withLock { $0.queue } }
  var calls: [String] { state.withLock { $0.calls } }
  var connections: Int { state.withLock { $0.connections } }
  var confirmed: [String] { state.withLock { $0.confirmed } }
  var badSignatures: Int { state.withLock { $0.badSignatures } }
  var pushedBytes: Int { state.withLock { $0.pushed.values.reduce(0) { $0 + $1.count } } }

  /// The answers of the device, put together.
  var answers: [Message] {
    get throws {
      let (answers, pushed) = state.withLock { ($0.answers, $0.pushed) }
      return try answers.map { try MessageParts($0.tree, pushed).message() }
    }
  }

  // MARK: HTTP

  private func serve(_ connection: Int32) {
    let connection = ServedConnection(connection, certificate)
    state.withLock { $0.connections += 1 }
    while answer(connection), ending == .none {}
  }

  /// Answers a request; false where the connection is of no more use.
  private func answer(_ connection: borrowing ServedConnection) -> Bool {
    guard let request = Self.request(connection) else { return false }
    let name = String(request.path.split(separator: "/").last ?? "")
    let turn = state.withLock { state in
      state.calls.append(name)
      if !request.isSigned(by: key) { state.badSignatures += 1 }
      return state.calls.filter { $0 == name }.count - 1
    }
    var (status, lines, body) = (200, "", [UInt8]())
    switch fault(name, turn) {
    case nil where name == "get-run" && turn >= runCalls:
      (status, body) = (403, Array("{\"code\": 2007, \"detail\": \"over\"}".utf8))
    case nil: body = reply?(name, request.body) ?? answer(name, request.body)
    case .status(let other):
      (status, body) = (other, Array("{\"code\": 1, \"detail\": \"no\\u0007 luck\"}".utf8))
    case .error(let other, let code):
      (status, body) = (other, Array("{\"code\": \(code), \"detail\": \"no\"}".utf8))
    case .page(let other): (status, body) = (other, Array("<html>nothing here</html>".utf8))
    case .body(let other): body = other
    case .bare(let bytes):
      connection.send(bytes)
      return false
    case .closed: return false
    case .clock(let lead):
      let form = DateFormatter()
      form.locale = Locale(identifier: "en_US_POSIX")
      form.timeZone = TimeZone(identifier: "GMT")
      form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      (status, lines) = (401, "Date: \(form.string(from: Date() + lead))\r\n")
    case .cutOff:
      // A message whose answer is lost on its way is gone: the server hands it out once.
      let whole = name == "pull-messages" ? [] : answer(name, request.body)
      connection.send(Self.head(200, "", whole.count + 10) + whole)
      return false
    case .promise(let count):
      connection.send(Self.head(200, "", count) + [UInt8](repeating: 0, count: 1000))
      connection.waitForEnd()
      return false
    case .silent:
      connection.waitForEnd()
      return false
    case .steady:
      let whole = answer(name, request.body)
      var rest = (Self.head(200, "", whole.count) + whole)[...]
      while !rest.isEmpty, connection.send(Array(rest.prefix(1000))) {
        rest = rest.dropFirst(1000)
        usleep(10_000)
      }
      return false
    case .slow:
      connection.send(Self.head(200, "", 1_000_000))
      // One byte for each turn of the other side's patience to begin anew.
      while !state.withLock({ $0.isEnded }), connection.send([0]) { usleep(20_000) }
      return false
    }
    if ending == .said { lines += "Connection: close\r\n" }
    return connection.send(Self.head(status, lines, body.count) + body)
  }

  private struct Request {
    let path: String
    let headers: [String: String]
    let body: [UInt8]

    func isSigned(by known: SigningKey?) -> Bool {
      guard let time = headers["flwr-timestamp"], headers["content-type"] == "application/protobuf",
        let signature = headers["flwr-signature"].flatMap({ Data(base64Encoded: $0) }),
        let name = headers["flwr-public-key"].flatMap({ Data(base64Encoded: $0) }),
        let key = try? known ?? SigningKey(publicHalf: [UInt8](name))
      else { return false }
      return String(decoding: name, as: UTF8.self) == key.publicText
        && key.verifies([UInt8](signature), of: time)
    }
  }

  private static func request(_ connection: borrowing ServedConnection) -> Request? {
    var bytes: [UInt8] = []
    /// Whether there was more to read.
    func more(_ part: [UInt8]) -> Bool {
      bytes += part
      return !part.isEmpty
    }
    let mark = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: mark) == nil {
      guard more(connection.read()) else { return nil }
      // A greeting of TLS is no HTTP.
      if bytes.first == 0x16 {
        connection.send(head(400, "", 0))
        return nil
      }
    }
    let end = bytes.firstRange(of: mark)!
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    let count = Int(headers["content-length"] ?? "0") ?? 0
    while bytes.count < end.upperBound + count { guard more(connection.read()) else { return nil } }
    let body = Array(bytes[end.upperBound..<end.upperBound + count])
    return Request(path: String(lines[0].split(separator: " ")[1]), headers: headers, body: body)
  }

  private static func head(_ status: Int, _ lines: String, _ count: Int) -> [UInt8] {
    Array(
      "HTTP/1.1 \(status) Status\r\nContent-Type: application/protobuf\r\n\(lines)Content-Length: \(count)\r\n\r\n"
        .utf8)
  }

  // MARK: The Fleet API

  private static func write(_ tree: ObjectTree, to writer: inout ProtobufWriter) {
    writer.text(1, tree.name)
    for child in tree.children { writer.message(2) { write(child, to: &$0) } }
  }

  private func answer(_ name: String, _ body: [UInt8]) -> [UInt8] {
    var writer = ProtobufWriter()
    state.withLock { state in
      switch name {
      case "register-node", "activate-node": writer.unsigned(1, Self.node)
      case "send-node-heartbeat": writer.integer(1, 1)
      case "pull-messages": writer = ProtobufWriter(state.queue.isEmpty ? [] : state.queue.removeFirst())
      case "pull-object":
        writer.integer(1, 1)
        if let content = state.objects[Self.text(3, of: body)] {
          writer.integer(2, 1)
          writer.content(3, content)
        }
      case "confirm-message-received": state.confirmed.append(Self.text(3, of: body))
      case "push-messages":
        // A message of this side has the form of one of the other, but for the node in front of it.
        if let pulled = try? FleetClient.Pulled(body) {
          // Of a request there is one answer, whose message may come again where our word of it was lost.
          if state.waiting.remove(pulled.metadata.answers) != nil {
            state.answers.append((pulled.metadata, pulled.tree))
            state.pending = Set(pulled.tree.names)
          }
          if state.answers.last?.tree.name == pulled.tree.name {
            for name in pulled.tree.names where state.pending.contains(name) { writer.text(3, name) }
          }
          writer.text(4, "session")
        }
      case "push-object":
        let name = Self.text(3, of: body)
        let content = Self.content(4, of: body)
        // As Flower does it: what is not waited for, since it has come already, is not stored.
        if SHA256.name(of: content) == name, Self.text(5, of: body) == "session",
          state.pending.remove(name) != nil
        {
          state.pushed[name] = content
          writer.integer(1, 1)
        }
      default: break
      }
    }
    return writer.bytes
  }

  private static func content(_ number: Int, of body: [UInt8]) -> [UInt8] {
    var reader = ProtobufReader(body, mostFields: 100)
    while let field = try? reader.next() {
      if field.number == number { return (try? reader.content(field)) ?? [] }
    }
    return []
  }

  private static func text(_ number: Int, of body: [UInt8]) -> String {
    String(decoding: content(number, of: body), as: UTF8.self)
  }
}

extension ProtobufWriter {
  /// A message that was written before.
  fileprivate init(_ bytes: [UInt8]) {
    self.init()
    var reader = ProtobufReader(bytes, mostFields: 100)
    while let field = try? reader.next() {
      if let content = try? reader.content(field) { self.content(field.number, content) }
    }
  }
}
