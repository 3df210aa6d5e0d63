// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning
internal import NativeCode
internal import RealtimeCore

/// How long one execute takes: mostly, at worst, and after another program has used the caches.
struct CallRows {
  let options: Options
  let table: Table
  let subjects: [Subject]

  private var race: Race { Race(rounds: options.isQuick ? 200 : 1000) }
  private var calls: Int { options.isQuick ? 2000 : 10_000 }
  private var coldCalls: Int { options.isQuick ? 15 : 51 }

  func run() throws {
    let wanted = subjects.map { subject in
      (subject, rows: rows(of: subject).filter { options.wants($0.name) })
    }.filter { !$0.rows.isEmpty }
    guard !wanted.isEmpty else { return }
    let other = try OtherProgram()
    table.callSection(calls: calls, coldCalls: coldCalls)
    for (subject, rows) in wanted {
      let compiled = CompileOptions(target: try .host())
      let program = try CompiledGraph(try subject.graph(), options: compiled).program()
      for row in rows where !row.isMoving { table.add(try figure(row, program, other)) }
      guard program.layout.parameters.contains(where: { $0.rampFrames > 0 }) else { continue }
      for row in rows where row.isMoving {
        table.add(try figure(row, try program.withEndlessRamps(), other))
      }
    }
  }

  private struct Row {
    let name: String
    let frames: Int
    /// Whether all parameters glide, instead of standing still.
    var isMoving = false
  }

  private func rows(of subject: Subject) -> [Row] {
    // Compiling is what takes long where graphs are large.
    guard !options.isQuick || !subject.isSlowToCompile else { return [] }
    // A quick run has every size of shipped models only.
    let sizes = options.isQuick && !subject.isShipped ? [Subject.usualSize] : subject.sizes
    let settled = sizes.map { Row(name: subject.rowName($0), frames: $0) }
    let usual = settled.filter { subject.isShipped && $0.frames == Subject.usualSize }
    return settled
      + usual.map { Row(name: "\($0.name), all moving", frames: $0.frames, isMoving: true) }
  }

  private func figure(_ row: Row, _ program: Program, _ other: OtherProgram) throws -> CallFigure {
    let frames = row.frames
    let instrument = try Instrument(program, frames: frames)
    if row.isMoving {
      // What is set before the first execute holds from its first frame on.
      instrument.run(1)
      instrument.turnAll(isHigh: true)
    }
    let batches = race.run([Contender(name: row.name, run: instrument.run)])[0]
    return CallFigure(
      row.name, frames: program.layout.executesStream ? frames : nil, batches: batches,
      calls: SingleCalls(calls, instrument),
      cold: SingleCalls(coldCalls, instrument, after: other).samples,
      // Stopping behind each instruction takes some thousand times as long.
      instructions: [1, Subject.usualSize].contains(frames) ? Steps.count(instrument) : nil,
      watched: WatchedExecutes(instrument))
  }
}
