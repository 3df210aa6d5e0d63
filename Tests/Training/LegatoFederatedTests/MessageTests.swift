// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

/// Messages are taken apart and put together as Flower's own package does, to the byte.
@Suite struct MessageTests {
  /// Of a message that was put together again each object has the bytes that it had.
  @Test(arguments: FederatedReference.messages.filter { $0.name != "chunks" })
  func thereAndBack(reference: FederatedReference.TakenApart) throws {
    let message = try MessageParts(reference.tree.tree, reference.contents).message()
    let parts = MessageParts(message)
    #expect(parts.tree == reference.tree.tree)
    #expect(parts.contents == reference.contents)
    #expect(parts.tree.names == reference.order)
    let pulled = try #require(try FleetClient.Pulled(bytes(reference.pulled)))
    #expect(pulled.metadata == message.metadata)
    #expect(pulled.tree == reference.tree.tree)
  }

  /// An array of 18 MB goes in four chunks, of which two are one object.
  @Test func chunks() throws {
    let reference = FederatedReference.message("chunks")
    var values = [Float](repeating: 0, count: 4_500_000)
    values[values.count - 1] = 1
    let array = MessageArray(Tensor(values))
    var metadata = try #require(try FleetClient.Pulled(bytes(reference.pulled))).metadata
    let arrays = ArrayRecord([.init("long", array)])
    let parts = MessageParts(Message(metadata, .records(RecordDict([.init("arrays", .arrays(arrays))]))))
    #expect(parts.tree == reference.tree.tree)
    #expect(parts.contents.count == 7)
    metadata.name = parts.tree.name
    let whole = try MessageParts(parts.tree, parts.contents).message()
    #expect(whole == Message(metadata, .records(RecordDict([.init("arrays", .arrays(arrays))]))))
  }

  @Test func values() throws {
    let reference = FederatedReference.message("train")
    let message = try MessageParts(reference.tree.tree, reference.contents).message()
    guard case .records(let records) = message.content else { return #expect(Bool(false)) }
    let config = try #require(records.config("config"))
    #expect(
      config["epochs"] == .integer(3) && config["rate"] == .double(0.05) && config["minus"] == .integer(-7))
    #expect(
      config["large"] == .unsigned(.max) && config["flag"] == .boolean(true) && config["zero"] == .integer(0))
    #expect(config["raw"] == .bytes([0, 255]) && config["text"] == .text("naïve – 𝄞 \"quoted\"\n"))
    #expect(config["ints"] == .integers([1, -2, 3]) && config["huge"] == .unsigneds([1 << 63, 1]))
    #expect(config["flags"] == .booleans([true, false]) && config["raws"] == .byteStrings([[97], []]))
    let weights = try #require(records.arrays("arrays")).items
    #expect(weights.map(\.name) == ["dense.weight", "dense.bias", "scale"])
    let tensor = try weights[0].array.tensor(named: "dense.weight")
    #expect(tensor.shape == [2, 3] && tensor.values == [0.5, -1.25, 3, 1e-8, 0, -0.0])
    #expect(try weights[2].array.tensor(named: "scale").shape == [])
    let answer = message.metadata.answer(at: message.metadata.created + 100)
    #expect(
      answer.source == message.metadata.destination && answer.destination == 1 && answer.lifetime == 43_100.5)
    #expect(
      answer.answers == message.metadata.name && answer.sourceTask == nil && answer.destinationTask == 5)
  }

  /// A server with a database gives the parts of an object back in another order than the object names them in.
  @Test(arguments: FederatedReference.messages.filter { $0.name != "chunks" })
  func partsInAnotherOrder(
    reference: FederatedReference.TakenApart
  ) throws {
    func turned(_ tree: ObjectTree) -> ObjectTree {
      ObjectTree(tree.name, tree.children.reversed().map(turned))
    }
    let tree = reference.tree.tree
    let message = try MessageParts(tree, reference.contents).message()
    #expect(try MessageParts(turned(tree), reference.contents).message() == message)
  }

  /// An object that was changed has another hash; one whose hash was set right is read like any other, and never traps.
  @Test func tenThousandMutations() throws {
    var random = SplitMix(seed: 26)
    let all = FederatedReference.messages.filter { $0.name != "chunks" }
    var (refused, read) = (0, 0)
    for turn in 0..<10_000 {
      let reference = all[turn % all.count]
      if turn % 3 == 0 {
        var pulled = bytes(reference.pulled)
        random.damage(&pulled)
        if let found = try? FleetClient.Pulled(pulled) {
          read += found.tree.names.isEmpty ? 1 : 0
        } else {
          refused += 1
        }
        continue
      }
      let victim = random.pick(reference.order)
      var contents = reference.contents
      var damaged = contents[victim]!
      random.damage(&damaged)
      guard damaged != contents[victim] else { continue }
      contents[victim] = damaged
      #expect(throws: FederatedError.self, "a hash, turn \(turn)") {
        try MessageParts(reference.tree.tree, contents).message()
      }
      let (tree, renamed) = Self.renamed(reference.tree.tree, contents)
      do throws(FederatedError) {
        let message = try MessageParts(tree, renamed).message()
        var answer = RequestAnswer(client: Doubler())
        _ = try answer.content(for: message)
        read += 1
      } catch {
        refused += 1
        #expect(!error.description.isEmpty)
      }
    }
    #expect(refused > 4000 && read > 100, "\(refused) refused, \(read) read")
  }

  /// Parts with the names that their bytes have; parents name them so.
  private static func renamed(
    _ tree: ObjectTree, _ contents: [String: [UInt8]]
  ) -> (ObjectTree, [String: [UInt8]]) {
    var result: [String: [UInt8]] = [:]
    func rename(_ tree: ObjectTree) -> ObjectTree {
      let children = tree.children.map(rename)
      var content = contents[tree.name]!
      for (old, new) in zip(tree.children, children) {
        var text = content
        while let place = text.firstRange(of: Array(old.name.utf8)), old.name != new.name {
          text.replaceSubrange(place, with: new.name.utf8)
        }
        content = text
      }
      let name = SHA256.name(of: content)
      result[name] = content
      return ObjectTree(name, children)
    }
    return (rename(tree), result)
  }

  /// Lies of a server about arrays, each refused with one line.
  @Test func liesAboutArrays() throws {
    let npy = Tensor([1, 2]).npy
    for (array, words) in [
      (
        MessageArray(element: "float32", shape: [3], form: "numpy.ndarray", data: npy),
        "the array 'w' is said to be [3], and its file is [2]"
      ),
      (MessageArray(element: "", shape: [], form: "pickle", data: npy), "has the form 'pickle'"),
      (MessageArray(element: "", shape: [], form: "numpy.ndarray", data: []), "the array 'w'"),
      (MessageArray(element: "", shape: [], form: "numpy.ndarray", data: Array(npy.dropLast())), "cut off"),
    ] {
      let error = #expect(throws: FederatedError.self) { try array.tensor(named: "w") }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
  }
}
