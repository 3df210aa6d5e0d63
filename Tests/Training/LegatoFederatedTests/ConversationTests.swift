// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import ProtobufWire
import Synchronization
import Testing

@testable import LegatoFederated

/// Three rounds that were recorded at a real SuperLink (`Tests/Federated/record.py`): a device says the same again, to the
/// byte where time and key do not matter.
@Suite struct ConversationTests {
  private struct Recording: Decodable {
    struct Exchange: Decodable {
      let name: String
      let request, answer: [UInt8]

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        name = try values.decode(String.self)
        request = [UInt8](try #require(Data(base64Encoded: values.decode(String.self))))
        answer = [UInt8](try #require(Data(base64Encoded: values.decode(String.self))))
      }
    }
    let x, target: [Float]
    let exchanges: [Exchange]
  }

  private static let recording: Recording = {
    let file = Bundle.module.url(forResource: "reference/conversation", withExtension: "json")!
    return try! JSONDecoder().decode(Recording.self, from: Data(contentsOf: file))
  }()

  /// The server's side of the recording.
  private final class Player: Sendable {
    private struct State {
      var rest = ConversationTests.recording.exchanges.filter { $0.name != "send-node-heartbeat" }[...]
      /// The names of the device's messages: recorded, and of now.
      var names: [(recorded: String, now: String)] = []
      var differences: [String] = []
    }
    private let state = Mutex(State())
    private let beat = ConversationTests.recording.exchanges.first { $0.name == "send-node-heartbeat" }!

    var differences: [String] { state.withLock { $0.differences } }
    var left: Int { state.withLock { $0.rest.count } }

    func reply(_ name: String, _ request: [UInt8]) -> [UInt8] {
      if name == beat.name {
        if request != beat.request { state.withLock { $0.differences.append("a heartbeat") } }
        return beat.answer
      }
      return state.withLock { state in
        guard let exchange = state.rest.first, exchange.name == name else {
          // Whoever asks in vain asks again; the recording leaves that out.
          if name != "pull-messages" {
            state.differences.append("\(name) at \(state.rest.count) before the end")
          }
          return []
        }
        state.rest = state.rest.dropFirst()
        var answer = exchange.answer
        do {
          if name == "push-messages" {
            let (old, new) = (try Self.message(exchange.request), try Self.message(request))
            state.names.append((old.tree.name, new.tree.name))
            answer = Self.replacing(answer, old.tree.name, new.tree.name)
          }
          let (expected, found) = (
            try Self.meaning(name, exchange.request, state.names, isRecorded: true),
            try Self.meaning(name, request, state.names, isRecorded: false)
          )
          if expected != found { state.differences.append("\(name): \(found), not \(expected)") }
        } catch { state.differences.append("\(name): \(error)") }
        return answer
      }
    }

    private static func message(_ request: [UInt8]) throws -> FleetClient.Pulled {
      // A push has the form of what is pulled, but for the node in front of it.
      try #require(try FleetClient.Pulled(request))
    }

    /// The bytes of a request without what is another one's each time.
    private static func meaning(
      _ name: String, _ request: [UInt8], _ names: [(recorded: String, now: String)], isRecorded: Bool
    ) throws -> String {
      switch name {
      case "register-node", "activate-node":
        var (reader, words) = (ProtobufReader(request, mostFields: 10), [String]())
        while let field = try reader.next() {
          if field.number == 1 {
            _ = try SigningKey(publicHalf: reader.content(field))
            words.append("a key")
          } else {
            words.append("\(try field.double)")
          }
        }
        return "\(words)"
      case "push-messages":
        let message = try message(request)
        return "\(timeless(message.metadata)) \(message.tree.children)"
      case "push-object":
        guard let row = names.firstIndex(where: { (isRecorded ? $0.recorded : $0.now) == text(3, request) })
        else {
          return Data(request).base64EncodedString()
        }
        let object = try MessageObject(content(4, request))
        #expect(SHA256.name(of: content(4, request)) == text(3, request))
        var reader = ProtobufReader(object.body, mostFields: 100)
        let metadata = try #require(try reader.next())
        return
          "\(row) \(object.kind) \(object.children) \(timeless(try MessageMetadata(reader.message(metadata)))) "
          + "\(try reader.next() == nil) \(text(5, request))"
      case _: return Data(request).base64EncodedString()
      }
    }

    private static func timeless(_ metadata: MessageMetadata) -> MessageMetadata {
      var rest = metadata
      (rest.created, rest.lifetime, rest.name) = (0, 0, "")
      return rest
    }

    private static func content(_ number: Int, _ request: [UInt8]) -> [UInt8] {
      var reader = ProtobufReader(request, mostFields: 100)
      while let field = try? reader.next() {
        if field.number == number { return (try? reader.content(field)) ?? [] }
      }
      return []
    }

    private static func text(_ number: Int, _ request: [UInt8]) -> String {
      String(decoding: content(number, request), as: UTF8.self)
    }

    private static func replacing(_ bytes: [UInt8], _ old: String, _ new: String) -> [UInt8] {
      var bytes = bytes
      bytes.replace(Array(old.utf8), with: Array(new.utf8))
      return bytes
    }
  }

  @Test func theSameAgain() throws {
    let player = Player()
    // The run is over when the recording is.
    let double = FleetDouble(
      nil, fault: { name, _ in name == "get-run" ? .error(403, code: 2007) : nil },
      reply: { player.reply($0, $1) })
    defer { double.end() }
    let recording = Self.recording
    let count = recording.target.count
    let model = try Model(
      """
      { "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [3] } },
        "weights": { "w": [[0, 0, 0]], "b": [0] }, "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
      """)
    let trainer = try Trainer(
      model, TrainingTask(loss: "mse(y, target)", targets: ["target": [1]], batch: count),
      optimizer: .sgd(rate: 0.5), threads: 1)
    let data = try TensorExamples([
      "x": Tensor(shape: [count, 3], values: recording.x),
      "target": Tensor(shape: [count, 1], values: recording.target),
    ])
    var link = try SuperLink(double.address)
    (link.idle, link.away, link.rounds) = ((0.001, 0.01), (0.001, 0.02), 3)
    var run = DeviceRun()
    try link.run(
      TrainerClient(trainer, data), isCancelled: { !player.differences.isEmpty },
      report: { run.events.append($0) })
    #expect(player.differences.isEmpty && player.left == 0, "\(player.differences)")
    #expect(double.badSignatures == 0 && run.failures.isEmpty && run.losses.isEmpty)
    #expect(run.rounds.map(\.kind) == ["train", "evaluate", "train", "evaluate", "train", "evaluate"])
    // A sign of life comes each 24 seconds: here it is given at once.
    let beat = try #require(recording.exchanges.first { $0.name == "send-node-heartbeat" })
    var reader = ProtobufReader(beat.request, mostFields: 10)
    let field = try #require(try reader.next())
    var node = try reader.message(field)
    let number = try #require(try node.next()).unsigned
    let fleet = try FleetClient(double.address, key: SigningKey(), seconds: 20, mostBytes: 1 << 20)
    #expect(try fleet.beat(number) { false })
    #expect(player.differences.isEmpty && double.badSignatures == 0)
  }
}
