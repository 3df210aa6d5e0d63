// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoFederated

/// Keys are those of Flower, and safe.
@Suite struct SigningKeyTests {
  private func file(_ text: String, _ mode: Int = 0o600) throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    let path = folder("key.pem")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return (folder, path)
  }

  @Test(arguments: FederatedReference.keys.keys)
  func flowersKeys(reference: FederatedReference.Keys.Key) throws {
    let (folder, path) = try file(reference.private)
    let key = try SigningKey(contentsOf: path)
    withExtendedLifetime(folder) {}
    #expect(key.publicText == reference.public)
    let text = FederatedReference.keys.text
    #expect(key.verifies(bytes(reference.signature), of: text))
    #expect(!key.verifies(bytes(reference.signature), of: text + " "))
    #expect(key.verifies(try key.signature(of: "a"), of: "a"))
  }

  @Test(arguments: FederatedReference.keys.refused.keys.sorted())
  func refused(name: String) throws {
    let (folder, path) = try file(FederatedReference.keys.refused[name]!)
    let error = #expect(throws: FederatedError.self) { try SigningKey(contentsOf: path) }
    withExtendedLifetime(folder) {}
    #expect(error?.description.hasPrefix(path) == true)
  }

  /// As ssh-keygen writes keys.
  @Test func ofOpenSSH() throws {
    let name = "OPENSSH PRIVATE KEY-----"
    let (folder, path) = try file("-----BEGIN \(name)\nAAAA\n-----END \(name)\n")
    let error = #expect(throws: FederatedError.self) { try SigningKey(contentsOf: path) }
    withExtendedLifetime(folder) {}
    #expect(
      error?.description
        == "\(path): is in OpenSSH's own form, and not in PEM; name a file that is not there, and a key is made"
    )
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o620])
  func readByOthers(mode: Int) throws {
    let (folder, path) = try file(FederatedReference.keys.keys[0].private, mode)
    let error = #expect(throws: FederatedError.self) { try SigningKey.reading(orMakingAt: path) }
    withExtendedLifetime(folder) {}
    #expect(error?.description == "\(path): others than its owner may read it; chmod 600 \(path)")
  }

  /// Two runs of one key would take each other's messages: the second is refused, and one behind them is not.
  @Test(arguments: [false, true]) func inUse(isSameObject: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder("key.pem")
    let double = FleetDouble(nil)
    defer { double.end() }
    let common = try SigningKey.reading(orMakingAt: path).key
    func run(_ body: @escaping () -> Void = {}) throws {
      var link = try SuperLink(
        double.address, key: isSameObject ? common : SigningKey.reading(orMakingAt: path).key)
      link.memory = path + ".node"
      var isIn = false
      try link.run(
        Doubler(), isCancelled: { isIn },
        report: { event in
          if case .connected = event {
            body()
            isIn = true
          }
        })
    }
    for _ in 0..<2 {
      var isRefused = false
      try run {
        let words = "\(path): another run uses this key; each device needs a key of its own"
        #expect(throws: FederatedError.key(words)) { try run() }
        isRefused = true
      }
      #expect(isRefused)
    }
    #expect(double.calls.count { $0 == "deactivate-node" } == 2)
  }

  /// Over a network a lock needs a file that is open for writing; a key that nobody may write is read all the same.
  @Test func openForALock() throws {
    let (folder, path) = try file(FederatedReference.keys.keys[0].private)
    let key = try SigningKey(contentsOf: path)
    let files = FileManager.default
    let flags = try files.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }.map { descriptor in
      let lines = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8).split(
        separator: "\n")
      let field = try #require(lines.first { $0.hasPrefix("flags:") }?.split(separator: "\t").last)
      return try #require(Int32(field, radix: 8)) & O_ACCMODE
    }
    #expect(flags == [O_RDWR])
    try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    #expect(try SigningKey(contentsOf: path).publicText == key.publicText)
    withExtendedLifetime(folder) {}
    for (other, words) in [(folder(""), "is no file"), (folder("none"), "cannot be read (")] {
      let error = #expect(throws: FederatedError.self) { try SigningKey(contentsOf: other) }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test func made() throws {
    let folder = try TemporaryFolder()
    let path = folder("new.pem")
    let (key, isMade) = try SigningKey.reading(orMakingAt: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(isMade && mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["new.pem"])
    let (again, isMadeAgain) = try SigningKey.reading(orMakingAt: path)
    #expect(!isMadeAgain && again.publicText == key.publicText)
    #expect(again.verifies(try key.signature(of: "x"), of: "x"))
    #expect(try SigningKey().publicText != key.publicText)
    // 91 bytes of a point on P-256, in lines of base 64, where P-384 has 120.
    #expect(key.publicText.split(separator: "\n").dropFirst().dropLast().joined().count == 124)
  }
}
