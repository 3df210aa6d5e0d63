// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import LiveHost

/// `legato capture`: a test signal, a recording of what an amplifier makes of it, and a network that learns that.
struct CaptureRun {
  private let source: Source?
  private let signalFile: String?
  private let seconds: Double
  private let rate: Int
  private let network: CaptureNetwork
  private let end: CaptureTraining.End
  private let seed: UInt64
  private let threads: Int
  private let places: ModelPlaces?
  private let replaces: Bool

  /// Where the sounds come from.
  private enum Source {
    case files(input: String, target: String)
    case device(LiveRequest)
  }

  private static let deviceOptions: [Option] = [
    .device, .capture, .playback, .inputs, .outputs, .period, .periods, .format, .access,
  ]

  init(_ arguments: Arguments) throws {
    _ = try arguments.operands()
    replaces = arguments.has(.force)
    signalFile = arguments.value(of: .writeSignal)
    seconds = try arguments.seconds() ?? TestSignal.standardSeconds
    guard (TestSignal.leastSeconds...TestSignal.mostSeconds).contains(seconds) else {
      throw Failure.usage(
        "--seconds: the test signal has \(written(TestSignal.leastSeconds)) to "
          + "\(written(TestSignal.mostSeconds)) s")
    }
    rate = try arguments.integer(.rate, in: 8000...768_000) ?? 48_000
    source = try Self.source(arguments)
    do throws(TrainingError) {
      network =
        try arguments.value(of: .network).map { name throws(TrainingError) in try CaptureNetwork(name) }
        ?? .standard
    } catch {
      throw Failure.usage("--network: \(error)")
    }
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    threads = try arguments.integer(.threads, in: 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
    end = try Self.end(arguments)
    places = try arguments.value(of: .output).map { try ModelPlaces(output: $0) }
    switch source {
    case nil:
      guard signalFile != nil else {
        throw Failure.usage(
          "what to capture is missing: --device NAME, or --input dry.wav and --target wet.wav; --write-signal "
            + "signal.wav writes a test signal for that")
      }
      for option in [Option.network, .epochs, .minutes, .seed, .threads, .output] where arguments.has(option)
      {
        throw Failure.usage(
          "--write-signal writes the signal only; --\(option.name) goes with --input and --target")
      }
    case .files, .device:
      guard signalFile == nil else {
        throw Failure.usage("--write-signal goes by itself: what is captured has its sound")
      }
      guard let places else {
        throw Failure.usage("--output is missing: the model file that is written, such as amp.json")
      }
      if case .files(let input, let target) = source {
        for option in Self.deviceOptions + [.rate, .seconds] where arguments.has(option) {
          throw Failure.usage("--\(option.name) goes with a device, not with --input and --target")
        }
        for place in places.ofCapture { try Destination.check(place, against: [input, target]) }
      }
      try Destination.tryOut(places.ofCapture, replacing: replaces)
    }
  }

  private static func source(_ arguments: Arguments) throws -> Source? {
    let (input, target) = (arguments.value(of: .input), arguments.value(of: .target))
    if input != nil || target != nil {
      guard let input, let target else {
        throw Failure.usage("--\(input == nil ? "input" : "target") is missing: both sounds are needed")
      }
      return .files(input: input, target: target)
    }
    guard deviceOptions.contains(where: arguments.has) else { return nil }
    var request = try LiveRequest(arguments)
    request.seconds = nil
    guard request.inputs?.count ?? 1 == 1 else {
      throw Failure.usage("--inputs: a capture is of one channel, the one on which the amplifier comes back")
    }
    return .device(request)
  }

  private static func end(_ arguments: Arguments) throws -> CaptureTraining.End {
    let epochs = try arguments.integer(.epochs, in: 1...1_000_000)
    guard let text = arguments.value(of: .minutes) else { return .epochs(epochs ?? 100) }
    guard epochs == nil else {
      throw Failure.usage("--minutes and --epochs both say when it ends; leave one out")
    }
    guard let minutes = Double(text), (0.001...100_000).contains(minutes) else {
      throw Failure.usage("--minutes takes a number from 0.001 to 100000, not \(quoted(text))")
    }
    return .seconds(60 * minutes)
  }

  func run(_ console: Console) throws {
    Interruption.begin()
    guard let source, let places else { return try writeSignal(console) }
    let stop = Interruption.beginAsking()
    defer { console.endProgress() }
    let pair: CapturePair
    switch source {
    case .files(let input, let target): pair = try CapturePair(input: input, target: target)
    case .device(let request):
      guard let recorded = try record(request, until: stop, console) else { return Interruption.endIfAsked() }
      pair = recorded
    }
    for line in pair.notices { console.notice(line) }
    try learn(pair, places, console)
    Interruption.endIfAsked()
  }

  // MARK: Sound

  private func writeSignal(_ console: Console) throws {
    guard let signalFile else { return }
    let signal = TestSignal(seconds: seconds, sampleRate: rate)
    var options = AudioFileWriter.Options()
    options.sampleFormat = .int24
    options.dither = .none
    options.replaceExisting = replaces
    let writer = try AudioFileWriter(
      path: signalFile, channels: 1, sampleRate: rate, options: options, pending: Interruption.pending)
    let rows = PlanarBuffer(channels: 1, capacity: signal.samples.count)
    for (frame, sample) in signal.samples.enumerated() { rows[0, frame] = sample }
    unsafe try writer.write(rows.rows, frames: signal.samples.count)
    try writer.finish()
    console.notice(
      "\(signalFile): \(written(seconds)) s at \(rate) Hz; play it through the amplifier, and record what comes out"
    )
  }

  /// Plays the test signal through a device; nil where it was interrupted.
  private func record(_ request: LiveRequest, until stop: Int32, _ console: Console) throws -> CapturePair? {
    let signal = TestSignal(seconds: seconds, sampleRate: rate)
    let reamping = try Reamping(request, of: signal.samples, rate: rate)
    for line in reamping.notices { console.notice(line) }
    let recording = try reamping.run(until: stop) { seconds in
      console.progress("\(reamping.place): \(Int(seconds)) of \(Int(self.seconds + 1)) s played and recorded")
    }
    console.endProgress()
    return try recording.map {
      try CapturePair(
        dry: signal.samples, wet: $0, sampleRate: rate, names: ("the test signal", reamping.place))
    }
  }

  // MARK: Learning

  private func learn(_ pair: CapturePair, _ places: ModelPlaces, _ console: Console) throws {
    let training = try CaptureTraining(pair, network, seed: seed, threads: threads)
    console.notice(
      "\(network): \(training.windows.learned) windows to learn from, \(training.windows.held) held back")
    var output = Output(places: places, replaces: replaces)
    let clock = ContinuousClock()
    var written = clock.now
    do {
      try training.run(until: end) { progress in
        if let held = progress.held {
          if progress.isBest { output.isBehind = true }
          console.endProgress()
          let share = progress.epochShare < 1 ? ", \(Int(100 * progress.epochShare)) % of it" : ""
          console.notice(
            "epoch \(progress.epoch)\(share): ESR \(figure(progress.esr, digits: 3)); "
              + "held back: \(figure(held, digits: 3))" + (progress.isBest ? ", the best" : ""))
        } else {
          let best = training.best
          console.progress(
            "epoch \(progress.epoch): ESR \(figure(progress.esr, digits: 3)), best held back "
              + "\(best.epoch == 0 ? "not known yet" : figure(best.esr, digits: 3)), "
              + "\(TrainingRun.duration(progress.secondsLeft)) left; \(Int(100 * progress.share)) %")
        }
        // The first network is heard at once; better ones are not worth the disk more often than that.
        if output.isBehind, output.isEmpty || clock.now - written > .seconds(3) {
          try output.write(training)
          written = clock.now
        }
        return Interruption.isAsked ? .stop : .goOn
      }
    } catch let error as TrainingError {
      // What was learned until then is worth no less.
      console.endProgress()
      try output.write(training)
      throw error
    }
    console.endProgress()
    try output.write(training)
    let best = training.best
    guard best.epoch > 0 else {
      let sentence = "no network was better than silence yet, and nothing is written"
      guard Interruption.isAsked else {
        throw Failure.failed(
          "\(sentence): does \(pair.names.wet) come from \(pair.names.dry)? Else more epochs, or another network, may help"
        )
      }
      return console.notice("\(places.model): \(sentence)")
    }
    if best.esr > 0.5 {
      console.notice(
        "\(places.model): hardly better than silence: does \(pair.names.wet) come from \(pair.names.dry), and is "
          + "it aligned? Else more epochs, or another network, may help")
    }
    console.notice(
      "\(places.ofCapture.joined(separator: ", ")): held-back ESR \(figure(best.esr, digits: 3)) "
        + "(\(figure(10 * log10(best.esr), digits: 3)) dB), epoch \(best.epoch)")
    guard case .files? = source else { return }
    let late = 1 - pair.alignment.latency
    let frames = String(format: "%.1f", abs(late))
    console.notice(
      "\(places.model): comes \(frames) frames \(late < 0 ? "earlier" : "later") than \(pair.names.wet); "
        + "evaluate and train count so with --align")
  }

  /// The files of the best network until now.
  private struct Output {
    let places: ModelPlaces
    let replaces: Bool
    /// Whether there is a better network than in the files.
    var isBehind = false
    var isEmpty = true

    mutating func write(_ training: CaptureTraining) throws {
      guard isBehind else { return }
      try FilesTogether(
        places.files(of: training), replaceExisting: replaces || !isEmpty, pending: Interruption.pending
      ).commit()
      (isBehind, isEmpty) = (false, false)
    }
  }
}
