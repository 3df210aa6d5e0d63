// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation
internal import LegatoTraining

/// `train`: embeddings, the last layer, and the files of both.
extension VoicesCommand {
  func train(_ arguments: Arguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    var plan = LastLayer.Plan()
    plan.epochs = try arguments.integer(.epochs, in: 1...10_000) ?? plan.epochs
    plan.rate = try arguments.number(.rate, in: 1e-6...10) ?? plan.rate
    plan.seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    let names = folder.names()
    guard names.count > 1 else {
      throw VoiceError.failed(
        names.isEmpty
          ? "\(folder.path): there is no recording yet; legato-voices record anna makes one"
          : "\(names[0]) is the only one: who speaks can be told of two; record another person, or 'others'")
    }
    let encoder = try Encoder.of(folder)
    var cache = EmbeddingCache(folder, encoder)
    let view = view(arguments)
    Interruption.beginAsking()
    let made: [[[[Float]]]]?
    do { made = try embedded(names, of: folder, encoder.runner(), &cache, view) } catch {
      // What there is need not be made again; the first error is the one to tell.
      try? cache.write(isWhole: false)
      throw error
    }
    try cache.write(isWhole: made != nil)
    guard let people = made else { return sayEnd() }
    let rows = people.map { $0.flatMap { $0 } }
    let windows = rows.reduce(0) { $0 + $1.count }
    say("\(names.count) people, \(windows) windows; encoder \(encoder.name)")
    let layer = try learned(rows, plan, view)
    if Interruption.isAsked { return sayEnd() }
    let nearness = Nearness(zip(people, names).map { ($0, $1 != VoiceFolder.others) })
    try TrainedVoices(encoder, names, layer, nearness, plan).write(to: folder)
    say(
      "\(folder.model): \(Speech.figure(100 * layer.accuracy)) % of the windows are taken for whose they are")
  }

  private func sayEnd() { say("train: ended; what was trained before stays") }

  /// The rows of each recording of each person, which is what takes nearly all of the time; nil where somebody ended it.
  private func embedded(
    _ names: [String], of folder: VoiceFolder, _ runner: consuming EncoderRunner,
    _ cache: inout EmbeddingCache,
    _ view: VoiceTerminal?
  ) throws -> [[[[Float]]]]? {
    let recordings = names.map { folder.recordings(of: $0) }
    let count = recordings.reduce(0) { $0 + $1.count }
    var (people, done) = ([[[[Float]]]](), 0)
    try view?.enter()
    defer { view?.leave() }
    for (name, theirs) in zip(names, recordings) {
      var own: [[[Float]]] = []
      for recording in theirs {
        view?.show { VoiceView.embedding(done: done, of: count, columns: $0, rows: $1) }
        own.append(try cache.rows(of: recording, &runner))
        if Interruption.isAsked { return nil }
        done += 1
        // Ten lines at most.
        if view == nil, done * 10 / count > (done - 1) * 10 / count { say("recording \(done) of \(count)") }
      }
      // How near others are, nobody asks.
      if name != VoiceFolder.others,
        let shortage = LastLayer.shortage(of: name, own.reduce(0) { $0 + $1.count })
      {
        throw VoiceError.failed(shortage)
      }
      people.append(own)
    }
    return people
  }

  private func learned(_ rows: [[[Float]]], _ plan: LastLayer.Plan, _ view: VoiceTerminal?) throws
    -> LastLayer
  {
    var losses: [Float] = []
    try view?.enter()
    defer { view?.leave() }
    return try LastLayer(rows, plan) { progress in
      let loss = Float(progress.scores["loss"] ?? 0)
      losses.append(loss)
      if let view {
        view.show {
          VoiceView.training(
            epoch: progress.position.epoch, of: plan.epochs, losses: losses, columns: $0, rows: $1)
        }
      } else if progress.position.batch == progress.batches, progress.validation == nil {
        say("epoch \(progress.position.epoch): loss \(String(format: "%.4f", loss))")
      }
      return Interruption.isAsked ? .stop : .goOn
    }
  }
}
