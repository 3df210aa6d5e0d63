// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ProtobufWire

/// What a device remembers over its own end: its number at the server, and the message that it has begun to answer.
///
/// A server hands out each message once. Whoever is killed in the middle of a round finds it here, and answers it.
struct NodeState {
  var node: UInt64 = 0
  var pulled: FleetClient.Pulled?

  private let path: String?

  /// - Parameter path: a file, which need not be there; nil remembers nothing.
  init(path: String?) {
    self.path = path
    guard let path, let data = FileManager.default.contents(atPath: path) else { return }
    // A file that is damaged tells nothing; it is written anew.
    _ = try? read([UInt8](data))
  }

  private mutating func read(_ bytes: [UInt8]) throws {
    var reader = ProtobufReader(bytes, mostFields: 10)
    while let field = try reader.next() {
      switch field.number {
      case 1: node = try field.unsigned
      case 2: pulled = try FleetClient.Pulled(reader.content(field))
      default: break
      }
    }
  }

  /// Writes it down, whole or not at all.
  func save() throws(FederatedError) {
    guard let path else { return }
    var writer = ProtobufWriter()
    writer.unsigned(1, node)
    if let pulled { writer.content(2, pulled.bytes) }
    do { try Data(writer.bytes).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw .key("\(path): cannot be written (\((error as NSError).localizedDescription))")
    }
  }
}
