// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import Foundation
import GraphIR
import JSONReading
import ModelFiles
import ReferenceInterpreter
import TestEquipment

/// Tiny captures of each kind, and what the packages that make captures compute with them: `reference/make.py` and
/// `reference/make_keras.py`.
enum Captures {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "reference")

  static func bytes(_ name: String) throws -> [UInt8] {
    let ending = isNetwork(name) ? "json" : "nam"
    return [UInt8](try Data(contentsOf: folder.appending(path: "\(name).\(ending)")))
  }

  /// The sound that went in, and by the names of captures what came out.
  static let outputs = networks.merging(read("outputs.json")) { $1 }

  /// The same of networks of Keras and PyTorch.
  private static let networks = read("outputs-layers.json")

  /// Whether a capture is a network of Keras or PyTorch.
  static func isNetwork(_ name: String) -> Bool { name.hasPrefix("keras") || networks[name] != nil }

  private static func read(_ file: String) -> [String: [Double]] {
    do {
      let data = try Data(contentsOf: folder.appending(path: file))
      return try JSONDecoder().decode([String: [Double]].self, from: data)
    } catch {
      fatalError("\(file) cannot be read: \(error)")
    }
  }

  /// Names with the sizes of which there are outputs: "container", or "container at 0".
  static let names = outputs.keys.filter { $0 != "sound" }.sorted()

  /// The files, each once.
  static let files = names.filter { !$0.contains(" at ") }

  /// The message about a capture; nil where it is read, and becomes a graph.
  static func message(_ bytes: [UInt8]) -> String? {
    do throws(Diagnostics) {
      let document = try ModelDocument.decode(bytes, file: "a.nam")
      _ = try Graph(importing: document, sampleRate: Double(document.sampleRate?.hertz ?? 48_000))
      return nil
    } catch {
      return error.description
    }
  }

  /// The message about a capture of which a part was replaced.
  static func message(_ name: String, replacing old: String, with new: String) throws -> String? {
    let text = String(decoding: try bytes(name), as: UTF8.self)
    guard text.contains(old) else { return "\(name) has no \(old)" }
    return message(Array(text.replacingOccurrences(of: old, with: new).utf8))
  }
}
