// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import Testing

/// A folder of its own for one test, deleted with all that is in it when its owner goes.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "legato-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  package func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// The names in the folder, hidden files too, in order.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// - Returns: the file's path.
  @discardableResult
  package func make(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
    return self(name)
  }

  @discardableResult
  package func make(_ name: String, _ text: String = "something") throws -> String {
    try make(name, text.utf8)
  }

  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
  }

  package func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  package func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: self(name))[.posixPermissions] as? Int
  }

  /// Waits until a file that is written from now on has another date than those that are there: the clock that dates
  /// files ticks a few times in a hundredth of a second.
  package func waitUntilDatesDiffer() throws {
    func date() throws -> [Int] {
      var state = stat()
      unsafe try #require(stat(try make(".date"), &state) == 0)
      return [state.st_ctim.tv_sec, state.st_ctim.tv_nsec]
    }
    let first = try date()
    while try date() == first { usleep(1000) }
    try remove(".date")
  }

  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }
}
