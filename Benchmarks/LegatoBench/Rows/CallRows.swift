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
      (subject, sizes: wantedSizes(of: subject))
    }.filter { !$0.sizes.isEmpty }
    guard !wanted.isEmpty else { return }
    let other = try OtherProgram()
    table.callSection(calls: calls, coldCalls: coldCalls)
    for (subject, sizes) in wanted {
      let compiled = CompileOptions(target: try .host())
      let program = try CompiledGraph(try subject.graph(), options: compiled).program()
      for frames in sizes {
        table.add(try figure(subject.rowName(frames), program, frames, other))
      }
    }
  }

  /// Compiling is what takes long where graphs are large.
  private func wantedSizes(of subject: Subject) -> [Int] {
    guard !options.isQuick || !subject.isSlowToCompile else { return [] }
    return subject.sizes.filter { options.wants(subject.rowName($0)) }
  }

  private func figure(
    _ name: String, _ program: Program, _ frames: Int, _ other: OtherProgram
  ) throws -> CallFigure {
    let instrument = try Instrument(program, frames: frames)
    let batches = race.run([Contender(name: name, run: instrument.run)])[0]
    return CallFigure(
      name, frames: program.layout.executesStream ? frames : nil, batches: batches,
      calls: SingleCalls(calls, instrument),
      cold: SingleCalls(coldCalls, instrument, after: other).samples,
      // Stopping behind each instruction takes some thousand times as long.
      instructions: [1, Subject.usualSize].contains(frames) ? Steps.count(instrument) : nil,
      watched: WatchedExecutes(instrument))
  }
}
