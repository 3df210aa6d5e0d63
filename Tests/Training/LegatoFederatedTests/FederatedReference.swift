// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import LegatoFederated

/// Results of Flower's own package: the scripts beside the files of `reference` write them.
enum FederatedReference {
  struct TakenApart: Decodable, CustomStringConvertible {
    /// ["name", [children]]
    struct Tree: Decodable {
      let tree: ObjectTree

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let name = try values.decode(String.self)
        tree = ObjectTree(name, try values.decode([Tree].self).map(\.tree))
      }
    }

    let name: String
    let tree: Tree
    let objects: [String: String]
    let order: [String]
    let pulled: String

    var description: String { name }

    var contents: [String: [UInt8]] { objects.mapValues { bytes($0) } }
  }

  struct Keys: Decodable {
    struct Key: Decodable, CustomStringConvertible {
      let curve, `private`, `public`, signature: String

      var description: String { curve }
    }

    let text: String
    let keys: [Key]
    let refused: [String: String]
  }

  struct Rounds: Decodable {
    struct Result: Decodable {
      let values: [Float]
      let examples: Int
    }

    let start: [Float]
    let rounds: [[Result]]
    let fedavg, fedadam: [[Double]]
  }

  struct Privacy: Decodable {
    let noise: Double
    let rounds: Int
    let delta, epsilon: Double
  }

  /// The parts of SecAgg+.
  struct Secure: Decodable {
    struct Secret: Decodable {
      let `private`, `public`, text: String
    }
    struct Token: Decodable {
      let key, vector, plain, token: String
      let time: UInt64
    }
    struct Shared: Decodable {
      let secret, coefficients: String
      let threshold: Int
      let shares: [String]
    }
    struct Mask: Decodable {
      let seed: String
      let modulus: UInt64
      let first, last: [UInt64]
      let count: Int
    }
    struct Device: Decodable {
      let `private`, `public`, words, secret: String
      let modulus: UInt64
      let first, last: [UInt64]
      let count: Int
    }
    let secrets: [Secret]
    let tokens: [Token]
    let shares: [Shared]
    let masks: [Mask]
    let devices: [Device]
  }

  static let secure: Secure = read("secure")
  static let privacy: [Privacy] = read("privacy")
  static let messages: [TakenApart] = read("messages")
  static let keys: Keys = read("keys")
  static let rounds: Rounds = read("fedadam")

  private static func read<Value: Decodable>(_ name: String) -> Value {
    let file = Bundle.module.url(forResource: "reference/\(name)", withExtension: "json")!
    return try! JSONDecoder().decode(Value.self, from: Data(contentsOf: file))
  }

  static func message(_ name: String) -> TakenApart { messages.first { $0.name == name }! }
}

/// Bytes in hexadecimal digits.
func bytes(_ text: String) -> [UInt8] {
  let digits = Array(text.utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
