// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// The laws that can be tried on signals.
extension Verification {
  func laws(_ progress: Progress) throws(ContextError) -> [Finding] {
    let trial = Stimulus.trial(of: graph, frames: frames)
    guard !isStream || program.layout.latency < trial.frames else {
      // Zeros before the first frame would agree with everything.
      let sentence = "nothing to try: the first frame comes out after a trial of \(trial.frames) frames"
      return [
        signal(trial), Finding(.tried, "laws on signals", .idle, sentence), try latency(), textual(),
        try edges(trial),
      ]
    }
    let whole = try render(program, trial)
    var findings = [signal(trial)]
    progress("trying laws 1 to 3")
    findings += [
      try splitting(trial, whole), try interpreted(trial, whole), try fresh(trial, whole),
      try apart(trial, whole),
    ]
    progress("trying laws 4 to 6")
    findings += [try finite(trial.frames), try latency(), textual()]
    progress("trying laws 7 and 8")
    findings += [try variations(trial, whole), try placed(trial, whole), try edges(trial)]
    return findings
  }

  /// The signal that the laws are tried on, described so that the trial can be repeated.
  private func signal(_ trial: Stimulus) -> Finding {
    let length = counted(trial.frames, isStream ? "frame" : "step")
    let input = trial.inputs.isEmpty ? "no input" : isStream ? "noise, saws and clicks" : "noise"
    let changes = trial.changes.count
    let beyond = delayBeyond.map { "; what a delay of \($0) frames gives back comes later" } ?? ""
    let fewer = framesOfWholeTrial.map {
      "; a whole trial has \($0), which takes too much time or memory where each computes "
        + "\(counted(graph.numbersInFrame, "number")): fewer channels or taps are tried longer"
    }
    return Finding(
      .tried, "signal", .stated,
      "\(length) of \(input)" + (changes > 0 ? ", \(counted(changes, "change")) of parameters" : "")
        + (fewer ?? "") + beyond,
      [
        isStream ? "frames" : "steps": .count(trial.frames), "noiseSeed": .count(Stimulus.noiseSeed),
        "parameterChanges": .count(changes), "parameterSeed": .count(Stimulus.parameterSeed),
      ])
  }

  func trying(
    _ name: String, holds: Bool, _ sentence: String, _ figures: [String: Figure] = [:]
  ) -> Finding {
    Finding(.tried, name, holds ? .holds : .broken, sentence, figures)
  }

  func render(
    _ program: Program, _ trial: Stimulus, blocks: [Int] = [128], inPlace: Bool = false
  ) throws(ContextError) -> [[Float]] {
    let playback = try Playback(trial, through: program, inPlace: inPlace)
    playback.finish(blocks)
    return playback.outputs
  }

  /// The first position at which two sets of rows differ in a bit.
  func difference(_ a: [[Float]], _ b: [[Float]]) -> Int? {
    zip(a, b).compactMap { a, b in
      zip(a, b).enumerated().first { $1.0.bitPattern != $1.1.bitPattern && !($1.0.isNaN && $1.1.isNaN) }?
        .offset
    }.min()
  }

  // MARK: Law 1

  private static let splits = [
    [1], [2], [3], [7], [16], [63], [64], [65], [128], [1000], [1, 127, 300, 5],
  ]

  private func splitting(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    let name = "law 1: blocks"
    guard isStream else {
      return Finding(.tried, name, .idle, "nothing to try: a step is executed whole")
    }
    for blocks in Self.splits {
      if let frame = difference(try render(program, trial, blocks: blocks), whole) {
        return trying(name, holds: false, "blocks of \(blocks) change frame \(frame)")
      }
    }
    return trying(
      name, holds: true, "\(Self.splits.count) ways to split the signal give the same bits",
      ["splits": .count(Self.splits.count)])
  }

  // MARK: Law 3

  private func fresh(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    let playback = try Playback(trial, through: program)
    playback.finish()
    // A fresh context holds the initial values; so must this one before it begins again.
    for (parameter, declaration) in zip(playback.context.parameters, graph.parameters) {
      parameter.set(declaration.initial)
    }
    playback.context.reset()
    playback.rewind()
    playback.finish()
    let place = difference(playback.outputs, whole)
    return trying(
      "law 3: reset", holds: place == nil,
      place.map { "number \($0) differs after a reset" } ?? "the same bits as a fresh context")
  }

  private func apart(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    var quiet = trial
    for row in quiet.inputs.indices { quiet.inputs[row] = quiet.inputs[row].map { $0 * 0.5 } }
    let one = try Playback(trial, through: program)
    let other = try Playback(quiet, through: program)
    while !one.isFinished {
      one.advance(by: 128)
      other.advance(by: 77)
    }
    let place = difference(one.outputs, whole)
    return trying(
      "law 3: contexts", holds: place == nil,
      place.map { "another context changes number \($0)" } ?? "two contexts do not touch")
  }

  // MARK: Law 6

  private func textual() -> Finding {
    let printed = graph.description
    let again = try? Graph(parsing: printed)
    let holds = again == graph && again?.description == printed
    return trying(
      "law 6: text", holds: holds,
      holds ? "print, parse, print is the identity" : "the text form differs when it is read again")
  }

  // MARK: Law 7

  private func variations(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    let name = "law 7: passes"
    let (tried, idle) = (variants.filter { !$0.isIdle }, variants.filter(\.isIdle).map(\.name))
    for variant in tried {
      let reference = try variant.reference.map { program throws(ContextError) in try render(program, trial) }
      if let place = difference(try render(variant.program, trial), reference ?? whole) {
        return trying(name, holds: false, "without \(variant.name) number \(place) differs")
      }
    }
    let figures: [String: Figure] = [
      "optimizationsSwitchedOff": .names(tried.map(\.name)), "optimizationsWithoutEffect": .names(idle),
      "optimizationsThatMayRound": .names(Variant.roundingPasses),
    ]
    guard !tried.isEmpty else {
      return Finding(.tried, name, .idle, "nothing to try: no optimisation changes this code", figures)
    }
    let names = tried.map(\.name).joined(separator: ", ")
    let others = idle.isEmpty ? "" : "; \(idle.count) others change nothing here"
    return trying(name, holds: true, "the same bits without \(names)\(others)", figures)
  }

  // MARK: Law 8

  private func placed(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    let name = "law 8: in place"
    guard !ContextDriver.sharedRows(program.layout).isEmpty else {
      return Finding(.tried, name, .idle, "nothing to try: no output is as large as its input")
    }
    let place = difference(try render(program, trial, blocks: [128, 77], inPlace: true), whole)
    return trying(
      name, holds: place == nil, place.map { "number \($0) differs in place" } ?? "the same bits in place")
  }
}
