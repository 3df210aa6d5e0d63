// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

extension BatchPlan {
  /// Throws where two files would become one.
  ///
  ///     numbers that stand for the outputs' paths, in order ─▶ equal neighbours ─▶ equal paths?
  ///
  /// Paths are made, and compared, only where their numbers are equal: all paths of very many files take much memory.
  func checkOutputs() throws(RenderingError) {
    let shared = sharedNumbers
    guard !shared.isEmpty else { return }
    var owners: [Int: [Item]] = [:]
    var (first, others) = (nil as (owner: Item, other: Item)?, 0)
    for item in items where shared.contains(Self.number(of: item.output)) {
      let number = Self.number(of: item.output)
      if let owner = owners[number]?.first(where: { $0.output.utf8.elementsEqual(item.output.utf8) }) {
        others += 1
        first = first ?? (owner, item)
      } else {
        owners[number, default: []].append(item)
      }
    }
    guard let (owner, other) = first else { return }
    let more = others > 1 ? ", and \(counted(others - 1, "other")) like them" : ""
    throw .request(
      RequestError(
        "\(owner.input) and \(other.input) would both become \(other.output)\(more); render them into different folders"
      ))
  }

  /// The numbers that more than one output has.
  private var sharedNumbers: Set<Int> {
    let numbers = items.map { Self.number(of: $0.output) }.sorted()
    return Set(zip(numbers, numbers.dropFirst()).filter { $0 == $1 }.map(\.0))
  }

  /// Of a path's bytes: strings are equal that are written differently, and are names of different files.
  private static func number(of path: String) -> Int {
    var (path, hasher) = (path, Hasher())
    path.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finalize()
  }
}
