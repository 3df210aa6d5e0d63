// SPDX-License-Identifier: Apache-2.0

import AudioIO
import FileRendering
import Foundation
import Synchronization
import TestEquipment
import Testing

@Suite("Batches from a program", .waits)
struct BatchTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("in")
    for index in 0..<5 { try Sound.waves(channels: 1, frames: 100 + index).write(folder("in/\(index).wav")) }
    try folder.make("in/bad.wav", "not a sound")
  }

  private func batch() -> Batch {
    var batch = Batch([folder("in")], into: folder("out"))
    (batch.isRecursive, batch.jobs) = (true, 2)
    return batch
  }

  @Test("what came of each file comes back in the plan's order, and goes on where it ended")
  func outcomes() throws {
    let renderer = try FileRenderer(SmallModel.double)
    let told = Mutex<[String]>([])
    var shown: [Int] = []
    let result = try BatchRun(BatchPlan(batch(), for: renderer)).run { done, count in
      shown.append(done)
      return count == 6
    } finished: { _, item in
      told.withLock { $0.append(item.output) }
    }
    #expect(result.rendered == 5 && result.failed == 1 && result.untried == 0 && result.end == nil)
    #expect(shown.last == 6 && shown == shown.sorted())
    #expect(told.withLock { $0.sorted() } == (0..<5).map { folder("out/\($0).wav") })
    for (index, outcome) in result.outcomes.enumerated() {
      switch outcome {
      case .rendered(let measures): #expect(measures.frames == 100 + index && measures.sampleRate == 48_000)
      case .failed(let failure):
        #expect(index == 5 && failure.input == folder("in/bad.wav") && !failure.endsRun)
        #expect(failure.description.hasPrefix(folder("in/bad.wav") + ": "))
      case .skipped, nil: Issue.record("file \(index) was not tried")
      }
    }

    var again = batch()
    again.resumes = true
    let rest = try BatchRun(BatchPlan(again, for: renderer))
    #expect(rest.count == 1 && rest.wholeCount == 5)
    // Another setting, or option, makes other files.
    var options = RenderOptions()
    options.tail = .seconds(1)
    let other = try FileRenderer(SmallModel.double, options: options)
    do throws(RenderingError) {
      _ = try BatchRun(BatchPlan(again, for: other))
      Issue.record("a run went on with files that were made with something else")
    } catch {
      #expect(error.description.contains("was made with tail seconds(0.0); name another folder"), "\(error)")
    }
  }

  @Test("a program that wants no more of it gets what is whole, and nothing half")
  func cancelled() throws {
    let result = try BatchRun(BatchPlan(batch(), for: FileRenderer(SmallModel.double))).run { done, _ in false
    }
    #expect(result.rendered + result.failed + result.untried == 6)
    let whole = result.outcomes.count { if case .rendered? = $0 { true } else { false } }
    #expect(whole == result.rendered)
  }

  @Test("a plan is run as often as somebody likes, also where there is nothing to do")
  func again() throws {
    var (options, resuming) = (RenderOptions(), batch())
    (options.replacesExisting, resuming.resumes) = (true, true)
    let renderer = try FileRenderer(SmallModel.double, options: options)
    let plan = try BatchPlan(batch(), for: renderer)
    for _ in 0..<2 { #expect(try BatchRun(plan).run().rendered == 5) }
    try FileManager.default.removeItem(atPath: folder("in/bad.wav"))
    let whole = try BatchPlan(resuming, for: renderer)
    for _ in 0..<2 { #expect(try BatchRun(whole).run().rendered == 0) }
  }

  @Test("an output folder that vanishes before the run begins")
  func vanished() throws {
    let run = try BatchRun(BatchPlan(batch(), for: FileRenderer(SmallModel.double)))
    try FileManager.default.removeItem(atPath: folder("out"))
    #expect(throws: RenderingError.file(AudioFileError(folder("out"), .noFolder))) { try run.run() }
    #expect(try folder.names == ["in"])
  }

  @Test("files that stand there are refused, with what to ask for in the words of this library")
  func standing() throws {
    let renderer = try FileRenderer(SmallModel.double)
    _ = try BatchRun(BatchPlan(batch(), for: renderer)).run()
    do throws(RenderingError) {
      _ = try BatchRun(BatchPlan(batch(), for: renderer))
      Issue.record("files were to be replaced that nobody asked for")
    } catch {
      #expect(
        error.description
          == "\(folder("out/0.wav")): the file exists, and 4 other outputs too; replacesExisting replaces, "
          + "resumes goes on with a run over these inputs")
    }
  }
}
