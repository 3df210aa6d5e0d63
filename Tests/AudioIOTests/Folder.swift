// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of its own for one test, deleted with all that is in it.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "legato-audio-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// What is in the folder, hidden files too, in order.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  @discardableResult
  func make(_ name: String, _ bytes: [UInt8] = Array("something".utf8)) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
    return self(name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: self(name))[.posixPermissions] as? Int
  }
}

extension Folder {
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self(name))
  }
}
