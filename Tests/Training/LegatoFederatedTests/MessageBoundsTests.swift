// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoFederated

extension MessageParts {
  /// The message of parts that are a test's own.
  func message() throws(FederatedError) -> Message {
    try message(within: MessageBounds(numbers: 1 << 26, words: 1 << 24))
  }
}

/// A message of few bytes never becomes a large one: what it takes when it is put together is bounded by the model's arrays.
@Suite(.serialized) struct MessageBoundsTests: ServedDevice {
  /// Parts that are made one by one, with the names that they have.
  private struct Parts {
    var contents: [String: [UInt8]] = [:]

    mutating func add(
      _ kind: MessageObject.Kind, _ body: [UInt8], _ below: [ObjectTree] = []
    ) -> ObjectTree {
      let content = MessageObject(kind, children: below.map(\.name), body: body).content
      let name = SHA256.name(of: content)
      contents[name] = content
      return ObjectTree(name, below)
    }

    /// An object whose body calls one part by several names.
    mutating func add(_ kind: MessageObject.Kind, calling part: ObjectTree, _ names: [String]) -> ObjectTree {
      let body = PythonJSON.object(names.map { ($0, part.name) })
      return add(kind, Array(body.utf8), [part])
    }

    /// The error with which a message of these records is refused for a model of 4 numbers in 2 arrays; nil where it is not.
    mutating func refusal(of records: ObjectTree) -> String? {
      var metadata = MessageMetadata()
      metadata.kind = "train"
      let body = MessageParts(Message(metadata, .records(RecordDict()))).contents.values
        .compactMap { try? MessageObject($0) }.first { $0.kind == .message }!.body
      let parts = MessageParts(add(.message, body, [records]), contents)
      do throws(FederatedError) {
        _ = try parts.message(within: MessageBounds(for: [3, 1]))
        return nil
      } catch {
        return error.description
      }
    }
  }

  private static let names = (0..<8).map { "w\($0)" }

  /// 64 KiB that stand for 8 MiB: in one array, and in one that has many names.
  @Test(arguments: [(times: 128, names: 1), (times: 16, names: 8), (times: 8, names: 2)])
  func arrays(times: Int, names: Int) {
    var parts = Parts()
    let chunk = parts.add(.chunk, [UInt8](repeating: 0, count: 1 << 16))
    let body =
      "{\"dtype\": \"float32\", \"shape\": [16000, 16000], \"stype\": \"numpy.ndarray\", \"arraychunk_ids\": "
      + PythonJSON.numbers([Int](repeating: 0, count: times)) + "}"
    let array = parts.add(.array, Array(body.utf8), [chunk])
    let record = parts.add(.arrays, calling: array, Array(Self.names.prefix(names)))
    let refusal = parts.refusal(of: parts.add(.records, calling: record, ["arrays"]))
    let size = chunkSize(parts, chunk) * times
    // 1 MiB, 4 KiB for each array, and 8 bytes for each number.
    let room = 1 << 20 + 2 << 12 + 4 * 8
    let before = room / size
    let expected =
      "the server's array 'w\(before)', which is said to be [16000, 16000], takes \(size) bytes, and \(room - before * size) "
      + "are left of what a message for this model can have: is the server's program for another one?"
    #expect(refusal == (names * size > room ? expected : nil))
  }

  private func chunkSize(_ parts: Parts, _ chunk: ObjectTree) -> Int { parts.contents[chunk.name]!.count }

  /// A record of half a megabyte that has many names, and names that are long.
  @Test func words() {
    let expected = "the server's message says more beside its arrays than a message for this model can have"
    let long = ValueRecord([.init("note", .text(String(repeating: "x", count: 1 << 19)))])
    for (names, isRefused) in [(["config"], false), (Self.names, true)] {
      var parts = Parts()
      let config = parts.add(.config, long.body)
      let refusal = parts.refusal(of: parts.add(.records, calling: config, names))
      #expect(refusal == (isRefused ? expected : nil))
    }
    var parts = Parts()
    let config = parts.add(.config, ValueRecord().body)
    let name = String(repeating: "y", count: 1 << 19)
    #expect(parts.refusal(of: parts.add(.records, calling: config, [name])) == nil)
    let names = ["", "y", "z"].map { name + $0 }
    #expect(parts.refusal(of: parts.add(.records, calling: config, names)) == expected)
  }

  /// A message as large as the model can have fits: numbers of 8 bytes in two chunks.
  @Test func whatFits() throws {
    let count = 1_000_000
    let data = [UInt8](repeating: 7, count: 128 + 8 * count)
    let array = MessageArray(element: "float64", shape: [count], form: "numpy.ndarray", data: data)
    let records = RecordDict([.init("arrays", .arrays(ArrayRecord([.init("w", array)])))])
    let parts = MessageParts(Message(MessageMetadata(), .records(records)))
    let made = try parts.message(within: MessageBounds(for: [count])).content
    #expect(made == .records(records))
  }

  /// A device does not even take what is too much; it says so to the server, and serves the next request.
  @Test func atAServer() throws {
    let double = FleetDouble(Self.key)
    defer { double.end() }
    let zeros = MessageArray(
      element: "float32", shape: [6 << 18], form: "numpy.ndarray",
      data: [UInt8](repeating: 0, count: 6 << 20))
    double.send("train", RecordDict([.init("weights", .arrays(ArrayRecord([.init("a", zeros)])))]))
    double.send("train", Self.train)
    let run = run(try link(double))
    let most = 2 * (1 << 20 + 2 << 12) + 4 * 8
    let reason =
      "the server's message has more than \(most) bytes, which are the most here: is its program for another model?"
    #expect(run.error == nil && run.rounds.count == 1 && run.failures == [reason], "\(run)")
    guard case .error(let told)? = try double.answers.first?.content else {
      return #expect(Bool(false), "no answer")
    }
    #expect(told.reason == reason)
  }
}
