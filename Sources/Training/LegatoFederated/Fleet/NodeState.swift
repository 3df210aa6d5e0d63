// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ProtobufWire

/// The memory of a device over its own end: its number at the server, the message that it has begun to answer, and how
/// much of its data was told until then.
///
/// A server hands out each message once. Whoever is killed in the middle of a round finds it here, and answers it.
struct NodeState {
  var node: UInt64 = 0
  var pulled: FleetClient.Pulled?
  /// How many runs of the device have begun to answer that message.
  var beginnings: UInt64 = 0
  /// The time of the answer to that message, in seconds since 1970: with it an answer that is computed again has the same name,
  /// and a server that has a part of it takes the rest; nil until there is one.
  var answerTime: Double?
  /// The sum of 1 / noise² over all rounds of training; infinite where one went without noise.
  var exposure = 0.0
  /// Whether the file is damaged, or was before another run.
  private(set) var isDamaged = false

  private let path: String?

  /// - Parameter path: a file, which need not be there; nil remembers nothing.
  /// - Throws: `FederatedError.memory` where it is there and cannot be read: what was told before is not nothing.
  init(path: String?) throws(FederatedError) {
    self.path = path
    guard let path else { return }
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: .max, waits: false) } catch {
      if error.problem == .missing { return }
      throw .memory(error.description)
    }
    // A file that is damaged is written anew; what was told before is not known then.
    if (try? read(bytes)) != true {
      forgetMessage()
      (exposure, isDamaged) = (.infinity, true)
    }
  }

  /// Forgets the message, which is answered, or is another node's.
  mutating func forgetMessage() { (pulled, beginnings, answerTime) = (nil, 0, nil) }

  /// Reads the file; false where it says nothing of what was told, as one that was cut short.
  private mutating func read(_ bytes: [UInt8]) throws -> Bool {
    var reader = ProtobufReader(bytes, mostFields: 10)
    var isWhole = false
    while let field = try reader.next() {
      switch field.number {
      case 1: node = try field.unsigned
      case 2: pulled = try FleetClient.Pulled(reader.content(field))
      case 3: beginnings = try field.unsigned
      case 4:
        let stated = try field.double
        exposure = stated >= 0 ? stated : .infinity
        isWhole = stated >= 0
      case 5: isDamaged = true
      case 6: answerTime = try field.double
      default: break
      }
    }
    return isWhole
  }

  /// Writes it down, whole or not at all, for its owner's eyes.
  ///
  /// - Throws: `FederatedError.memory`.
  func save() throws(FederatedError) {
    guard let path else { return }
    var writer = ProtobufWriter()
    writer.unsigned(1, node)
    if let pulled { writer.content(2, pulled.bytes) }
    writer.unsigned(3, beginnings)
    writer.double(4, exposure)
    if isDamaged { writer.unsigned(5, 1) }
    if let answerTime { writer.double(6, answerTime) }
    if let reason = PrivateFile.store(writer.bytes, at: path, replaces: true) {
      throw .memory("\(path): cannot be written (\(reason))")
    }
  }
}
