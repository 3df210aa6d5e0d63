// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@testable import FileRendering

@Suite("What is left to do, in view of what stands there", .waits)
struct WorkListTests {
  private let folder: TemporaryFolder
  private static let count = 23

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("in")
    try folder.makeFolder("out")
  }

  private enum Kind: CaseIterable {
    case none, whole, own, foreign

    /// In no order that repeats itself with the parts.
    init(of index: Int) {
      let kinds: [Kind] = [.none, .whole, .foreign, .own, .whole, .none, .own]
      self = kinds[(5 * index + index / 7) % kinds.count]
    }
  }

  private func name(_ index: Int) -> String { "\(index + 100).wav" }

  private static func indices(of kind: Kind) -> [Int] { (0..<count).filter { Kind(of: $0) == kind } }

  private func make(_ kind: Kind) throws {
    for index in Self.indices(of: kind) {
      try Sound.waves(channels: 1, frames: kind == .own ? 3 : 4).write(folder("out/" + name(index)))
    }
  }

  /// Waits until files that are made are younger than those of a kind; returns since when they are.
  private func younger(than kind: Kind) throws -> Int {
    let times = try Self.indices(of: kind).map { try FileStatus(path: folder("out/" + name($0))).changed }
    let before = try #require(times.max())
    while true {
      try Data([0]).write(to: URL(fileURLWithPath: folder("clock")))
      let now = try FileStatus(path: folder("clock")).changed
      if now > before { return now }
    }
  }

  @Test("threads find what one after the other finds, in the plan's order, wherever parts and pieces end")
  func threads() throws {
    #expect(Kind.allCases.allSatisfy { Self.indices(of: $0).count > 2 })
    for index in 0..<Self.count {
      try Sound.waves(channels: 1, frames: 4).write(folder("in/" + name(index)))
    }
    try make(.foreign)
    let begun = try younger(than: .foreign)
    try make(.whole)
    try make(.own)
    var batch = Batch([folder("in")], into: folder("out"))
    (batch.jobs, batch.isRecursive, batch.resumes) = (4, true, true)
    var options = RenderOptions()
    options.replacesExisting = true
    let plan = try BatchPlan(batch, for: FileRenderer(SmallModel.double, options: options))
    let items = Array(plan.items)
    try #require(items.count == Self.count)
    let outputs = StandingOutputs(of: plan, begun: begun, tail: .seconds(0))
    let expected = items.map(outputs.standing)
    for (index, standing) in expected.enumerated() {
      let found: Kind =
        switch standing {
        case .none: .none
        case .whole: .whole
        case .own: .own
        case .foreign: .foreign
        }
      #expect(found == Kind(of: index), "\(items[index].output)")
    }
    #expect(outputs.standings(of: items, jobs: 4, piece: 2) == expected)

    var watched: [Int] = []
    let work = try WorkList(
      plan, begun: begun, part: 5, piece: 2
    ) { watched.append($0) }
    #expect(watched == [5, 10, 15, 20, 23])
    let left = items.indices.filter { Kind(of: $0) != .whole }
    let tasks = (0..<work.count).map { work[$0] }
    #expect(tasks.map(\.item) == left)
    #expect(tasks.map(\.replaces) == left.map { Kind(of: $0) != .none })
    #expect(items.indices.filter(work.isWhole) == Self.indices(of: .whole))
  }
}
