// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire

/// A message between a server's program and a node: where from, where to, what about, and records or an error.
package struct Message: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case records(RecordDict)
    case error(MessageError)
  }

  package var metadata: MessageMetadata
  package var content: Content

  package init(_ metadata: MessageMetadata, _ content: Content) {
    (self.metadata, self.content) = (metadata, content)
  }
}

/// The reason why a node gives no records.
package struct MessageError: Hashable, Sendable {
  /// The codes that a node gives, as Flower numbers them.
  package enum Code: Int64, Sendable {
    case raised = 2
    case preconditionFailed = 6
  }

  package let code: Int64
  package let reason: String

  package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code.rawValue, reason) }

  func write(_ writer: inout ProtobufWriter) {
    if code != 0 { writer.zigzag(1, code) }
    if !reason.isEmpty { writer.text(2, reason) }
  }

  init(_ reader: ProtobufReader) throws(ProtobufError) {
    var reader = reader
    var (code, reason) = (0 as Int64, "")
    while let field = try reader.next() {
      switch field.number {
      case 1: code = try field.zigzag
      case 2: reason = try reader.text(field)
      default: break
      }
    }
    (self.code, self.reason) = (code, reason)
  }
}

/// Where a message comes from and goes to.
package struct MessageMetadata: Hashable, Sendable {
  package var run: UInt64 = 0
  /// The name of the message's object.
  package var name = ""
  package var source: UInt64 = 0
  package var destination: UInt64 = 0
  /// The message that this one answers.
  package var answers = ""
  /// The round, as the server's program calls it.
  package var group = ""
  /// How long it holds, in seconds.
  package var lifetime = 0.0
  /// `train`, `evaluate`, `query` …
  package var kind = ""
  /// In seconds since 1970.
  package var created = 0.0
  package var sourceTask: UInt64?
  package var destinationTask: UInt64?

  package init() {}

  /// The metadata of an answer that is made at a time, in seconds since 1970. It holds as long as what it answers.
  package func answer(at time: Double) -> MessageMetadata {
    var answer = self
    (answer.source, answer.destination) = (destination, source)
    (answer.sourceTask, answer.destinationTask) = (destinationTask, sourceTask)
    (answer.name, answer.answers) = ("", name)
    answer.created = time
    answer.lifetime = max(0, created + lifetime - time)
    return answer
  }

  func write(_ writer: inout ProtobufWriter) {
    if run != 0 { writer.unsigned(1, run) }
    if !name.isEmpty { writer.text(2, name) }
    if source != 0 { writer.unsigned(3, source) }
    if destination != 0 { writer.unsigned(4, destination) }
    if !answers.isEmpty { writer.text(5, answers) }
    if !group.isEmpty { writer.text(6, group) }
    if lifetime != 0 { writer.double(7, lifetime) }
    if !kind.isEmpty { writer.text(8, kind) }
    if created != 0 { writer.double(9, created) }
    if let sourceTask { writer.unsigned(10, sourceTask) }
    if let destinationTask { writer.unsigned(11, destinationTask) }
  }

  init(_ reader: ProtobufReader) throws(ProtobufError) {
    var reader = reader
    while let field = try reader.next() {
      switch field.number {
      case 1: run = try field.unsigned
      case 2: name = try reader.text(field)
      case 3: source = try field.unsigned
      case 4: destination = try field.unsigned
      case 5: answers = try reader.text(field)
      case 6: group = try reader.text(field)
      case 7: lifetime = try field.double
      case 8: kind = try reader.text(field)
      case 9: created = try field.double
      case 10: sourceTask = try field.unsigned
      case 11: destinationTask = try field.unsigned
      default: break
      }
    }
    guard lifetime.isFinite, created.isFinite else {
      throw ProtobufError(at: reader.start, "a message has a time that is no number")
    }
  }
}
