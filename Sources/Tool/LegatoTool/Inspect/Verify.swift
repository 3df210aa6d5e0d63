// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

extension Option {
  static let timedBlocks = Option(
    "blocks", value: "N",
    "how many blocks are timed (default: 10000, or as many as take 5 seconds); 0 times none")
}

extension Subcommand {
  static let verify = Subcommand(
    name: "verify", operands: "MODEL",
    summary: "proves what can be proved of the code, tries the laws on it, and times it",
    explanation: """
      The code is made as for process, read again, and run on signals with its parameters moving. Each line says what
      is promised and what was seen: ok, BROKEN, or - where this model has nothing that the promise is about. Lines
      with no mark are figures. The exit code is 4 when a promise is broken. Times are measured, and promise nothing:
      they never fail a verification. Steps are due only where --rate, or the model, says how many there are in a second.
      With --set and --preset, law 4 is tried with parameters as set, too, and loops that grow there are found.
      """,
    example: "legato verify models/bitcrusher.json --block 64 --rate 96000",
    options: [
      .function, .then, .size, .normalize, .calibrate, .state, .stream, .set, .preset, .timedBlocks, .block,
      .channels, .bind, .rate, .json, .cpu, .optimize, .passes, .stopAfter,
    ]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let channels = try arguments.integer(.channels, in: 1...65_536) ?? 1
    let askedRate = try arguments.integer(.rate, in: 1...16_000_000)
    let options = try CompilerOptions(arguments)
    let timing = try TimingRequest(arguments)

    let model = try Model(path: path, arguments)
    let rate = try model.rate(asked: askedRate)
    if !model.executesStream, arguments.has(.block) {
      throw Failure.usage(
        "--block is for models with frames; \(quoted(model.name)) executes single steps (\(model.placeOfInputs))"
      )
    }
    let settings = try model.settings(arguments).values
    let extents = try model.extents(arguments, others: channels, console.notice)
    let compilation = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
    if let note = model.noteOnWarmingUp { console.notice("\(path): \(note)") }
    for warning in compilation.warnings(settingParameters: settings) { console.notice(warning) }
    if timing.blocks != nil, model.executesStream {
      try Verification.checkMemory(ofBlocks: timing.frames, compilation.layout)
    }

    // What is written over and over shall end with a line, also where the run does not come to its end.
    Interruption.begin()
    defer { console.endProgress() }
    func say(_ doing: String) { console.progress("\(path): \(doing)") }
    let verification = try Verification(compilation, settingParameters: settings, progress: say)
    var findings = try verification.findings(progress: say)
    if let blocks = timing.blocks {
      let isDue = model.executesStream || arguments.has(.rate) || model.sampleRate != nil
      findings += try verification.timing(
        blocks, frames: timing.frames, rate: isDue ? Double(rate) : nil, progress: say
      ).findings
    }
    console.endProgress()

    let counts = ChannelCounts(compilation.layout)
    let certificate = Certificate(
      model: model.name, cpu: compilation.cpu, isStream: model.executesStream,
      channels: model.symbols.isEmpty ? max(counts.inputs, counts.outputs) : channels, counts: counts,
      sampleRate: rate, findings: findings)
    try console.print(arguments.has(.json) ? json(certificate) : console.text(certificate))
    guard certificate.broken.isEmpty else {
      throw Failure.unverified(["\(path): \(certificate.broken.joined(separator: ", ")) failed"])
    }
  }
}

/// The blocks to be timed.
private struct TimingRequest {
  /// nil where none are.
  let blocks: Verification.TimedBlocks?
  let frames: Int

  init(_ arguments: Arguments) throws(Failure) {
    frames = try arguments.integer(.block, in: 1...1_048_576) ?? 128
    switch try arguments.integer(.timedBlocks, in: 0...10_000_000) {
    case nil: blocks = .atMost(10_000, seconds: 5)
    case 0: blocks = nil
    case let count?: blocks = .exactly(count)
    }
    if blocks == nil, arguments.has(.block) {
      throw .usage("--block says which blocks are timed, and --blocks 0 times none; leave one of them out")
    }
  }
}
