// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import LegatoTraining

/// The program `legato-voices`: results to one side, messages to the other.
package struct VoicesCommand {
  let environment: [String: String]
  /// Takes a line of the results.
  let print: (String) -> Void
  /// Takes a line of the messages.
  let say: (String) -> Void
  /// Shows what goes on; nil where that is no terminal.
  let terminal: VoiceTerminal?

  /// - Parameters:
  ///   - environment: variables by their names.
  ///   - print: takes a line of the results.
  ///   - say: takes a line of the messages.
  ///   - terminal: shows what goes on; nil where that is no terminal.
  package init(
    environment: [String: String], print: @escaping (String) -> Void, say: @escaping (String) -> Void,
    terminal: VoiceTerminal? = nil
  ) {
    (self.environment, self.print, self.say, self.terminal) = (environment, print, say, terminal)
  }

  typealias Option = VoiceArguments.Option

  private struct Subcommand: Sendable {
    let name: String
    let operands: String
    let meaning: String
    let options: [Option]
    let run: @Sendable (VoicesCommand, VoiceArguments) throws -> Void
  }

  private static let shared = [
    Option("folder", "DIR", "where voices are kept, in place of ~/.local/share/legato-voices"),
    Option("help", nil, "what there is to say"),
  ]
  private static let device = Option("device", "NAME", "the microphone, as ALSA calls it (default)")
  private static let plain = Option("plain", nil, "lines, also on a terminal")
  private static let force = Option("force", nil, "replace a file that is there")
  private static let json = Option("json", nil, "as JSON, a line each")

  private static let subcommands = [
    Subcommand(
      name: "record", operands: "NAME", meaning: "records a person; 'others' is anybody else",
      options: [
        Option("input", "FILE", "a sound file instead of the microphone"),
        Option("seconds", "N", "how long (10)"), device,
        Option("add", nil, "one more recording of somebody who is known"), plain,
      ], run: { try $0.record($1) }),
    Subcommand(
      name: "train", operands: "", meaning: "learns from the recordings who is who",
      options: [
        Option("epochs", "N", "how often all of it is seen (3)"),
        Option("rate", "R", "the rate of learning (0.01)"),
        Option("seed", "N", "says the order of the examples (1)"), plain,
      ], run: { try $0.train($1) }),
    Subcommand(
      name: "identify", operands: "[FILES…]", meaning: "says who speaks, in files or at the microphone",
      options: [
        Option("threshold", "P", "below this probability it is nobody who is known (0.6)"),
        Option("seconds", "N", "how long it listens (until it is ended)"), device, json, plain,
      ], run: { try $0.identify($1) }),
    Subcommand(
      name: "export", operands: "", meaning: "writes the trained model for other programs",
      options: [Option("output", "FILE", "a file .json, or .onnx"), force], run: { try $0.export($1) }),
    Subcommand(
      name: "list", operands: "", meaning: "lists who is known, and by how much", options: [json],
      run: { try $0.list($1) }),
    Subcommand(
      name: "remove", operands: "NAME", meaning: "forgets a person", options: [], run: { try $0.remove($1) }),
  ]

  /// Runs a command line, without the program's name; returns how the process ends.
  package func run(_ words: [String]) -> Int32 {
    guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
      for line in Self.overview { print(line) }
      return words.isEmpty ? 2 : 0
    }
    guard let subcommand = Self.subcommands.first(where: { $0.name == name }) else {
      let known = Self.subcommands.map(\.name).joined(separator: ", ")
      say("legato-voices: there is no '\(name)'; there are \(known)")
      return 2
    }
    do {
      let arguments = try VoiceArguments(
        Array(words.dropFirst()), of: name, subcommand.options + Self.shared)
      if arguments.has("help") {
        for line in Self.help(subcommand) { print(line) }
        return 0
      }
      try subcommand.run(self, arguments)
      return VoiceTerminal.isAsked ? 130 : 0
    } catch let error as VoiceError {
      say("\(name): \(error)")
      return error.exitCode
    } catch {
      say("\(name): \(error)")
      return 1
    }
  }

  private static var overview: [String] {
    ["legato-voices: says who speaks", ""]
      + subcommands.map {
        "  \("\($0.name) \($0.operands)".padding(toLength: 20, withPad: " ", startingAt: 0))\($0.meaning)"
      }
      + ["", "legato-voices SUBCOMMAND --help says more of each."]
  }

  private static func help(_ subcommand: Subcommand) -> [String] {
    ["legato-voices \(subcommand.name) \(subcommand.operands)", "", "\(subcommand.meaning)", ""]
      + (subcommand.options + shared).map { option in
        let left = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        return "  \(left.padding(toLength: 18, withPad: " ", startingAt: 0))\(option.meaning)"
      }
  }

  func folder(_ arguments: VoiceArguments) throws(VoiceError) -> VoiceFolder {
    if let path = arguments.text("folder") {
      guard !path.isEmpty else { throw .usage("--folder needs a name") }
      return VoiceFolder(path)
    }
    return try VoiceFolder.standard(environment)
  }

  /// The only operand.
  func name(_ arguments: VoiceArguments) throws(VoiceError) -> String {
    guard arguments.operands.count == 1 else { throw .usage("one name is needed, such as anna") }
    return arguments.operands[0]
  }

  func noOperands(_ arguments: VoiceArguments) throws(VoiceError) {
    if let first = arguments.operands.first { throw .usage("'\(first)' is one word too many") }
  }

  func view(_ arguments: VoiceArguments) -> VoiceTerminal? { arguments.has("plain") ? nil : terminal }
}

// MARK: Recording

extension VoicesCommand {
  private func record(_ arguments: VoiceArguments) throws {
    let (folder, name) = (try folder(arguments), try name(arguments))
    let seconds = try arguments.number("seconds", in: 1...600, else: 10)
    if try folder.isKnown(name), !arguments.has("add"), name != VoiceFolder.others {
      throw VoiceError.usage(
        "there is a person called \(name) already; --add records more of the same one, another one needs another name"
      )
    }
    let speech: Speech
    if let file = arguments.text("input") {
      guard !arguments.has("device"), !arguments.has("seconds") else {
        throw VoiceError.usage("--device and --seconds go with the microphone, not with --input")
      }
      speech = try Speech(contentsOf: file)
      try speech.check(file)
    } else {
      guard let recorded = try recorded(arguments, seconds: seconds) else { return }
      speech = recorded
      try speech.check("the microphone")
    }
    if speech.clipped > 0.001 {
      say(
        "record: \(Speech.figure(100 * speech.clipped)) % of the samples are at full scale; turn the level down"
      )
    }
    let recording = try folder.add(speech, of: name)
    say("\(recording.path): \(Speech.figure(speech.seconds)) s at \(Speech.figure(speech.decibels)) dBFS")
  }

  /// Listens for so long; nil where that was ended.
  private func recorded(_ arguments: VoiceArguments, seconds: Double) throws -> Speech? {
    let (view, wanted) = (view(arguments), Int(seconds * Double(Speech.rate)))
    var samples: [Float] = []
    var lastSecond = -1
    VoiceTerminal.ask()
    try view?.enter()
    defer { view?.leave() }
    try Microphone.listen(arguments.text("device") ?? Microphone.standard) { came in
      samples += came
      let left = Int((Double(max(0, wanted - samples.count)) / Double(Speech.rate)).rounded(.up))
      let level = Speech(Array(samples.suffix(1600)))
      if let view {
        view.show { VoiceView.recording(secondsLeft: left, of: seconds, level: level, columns: $0, rows: $1) }
      } else if left != lastSecond {
        say(
          "\(left) s left, \(Speech.figure(level.decibels)) dBFS\(VoiceView.remark(level).map { ": \($0)" } ?? "")"
        )
        lastSecond = left
      }
      return samples.count < wanted && !VoiceTerminal.isAsked
    }
    return VoiceTerminal.isAsked ? nil : Speech(Array(samples.prefix(wanted)))
  }
}

// MARK: Training

extension VoicesCommand {
  private func train(_ arguments: VoiceArguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    var plan = LastLayer.Plan()
    plan.epochs = try arguments.integer("epochs", in: 1...10_000, else: plan.epochs)
    plan.rate = try arguments.number("rate", in: 1e-6...10, else: plan.rate)
    plan.seed = UInt64(try arguments.integer("seed", in: 0...Int.max, else: 1))
    let names = folder.names()
    guard names.count > 1 else {
      throw VoiceError.failed(
        names.isEmpty
          ? "\(folder.path): there is no recording yet; legato-voices record anna makes one"
          : "\(names[0]) is the only one: who speaks can be told of two; record another person, or 'others'")
    }
    let encoder = try Encoder.of(folder)
    var runner = try encoder.runner()
    var cache = EmbeddingCache(folder, encoder)
    var rows: [[[Float]]] = []
    for name in names {
      var own: [[Float]] = []
      for recording in folder.recordings(of: name) { own += try cache.rows(of: recording, &runner) }
      rows.append(own)
    }
    let windows = rows.reduce(0) { $0 + $1.count }
    say("\(names.count) people, \(windows) windows; encoder \(encoder.name)")
    let layer = try learned(rows, plan, view(arguments))
    if VoiceTerminal.isAsked { return }
    try TrainedVoices(encoder, names, layer, plan).write(to: folder)
    try cache.write()
    say(
      "\(folder.model): \(Speech.figure(100 * layer.accuracy)) % of the windows are taken for whose they are")
  }

  private func learned(_ rows: [[[Float]]], _ plan: LastLayer.Plan, _ view: VoiceTerminal?) throws
    -> LastLayer
  {
    var losses: [Float] = []
    VoiceTerminal.ask()
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
      return VoiceTerminal.isAsked ? .stop : .goOn
    }
  }
}

// MARK: Identification

extension VoicesCommand {
  private func identify(_ arguments: VoiceArguments) throws {
    let folder = try folder(arguments)
    let threshold = try arguments.number("threshold", in: 0...1, else: 0.6)
    let voices = try TrainedVoices(folder)
    let identifier = try Identifier(voices)
    guard !arguments.operands.isEmpty else {
      return try listen(arguments, identifier, threshold: threshold)
    }
    for option in ["device", "seconds", "plain"] where arguments.has(option) {
      throw VoiceError.usage("--\(option) goes with the microphone, not with files")
    }
    var failed = 0
    for file in arguments.operands {
      do {
        let speech = try Speech(contentsOf: file)
        try speech.check(file)
        guard let answer = try identifier.answer(speech) else {
          throw VoiceError.failed("\(file): nobody speaks in it")
        }
        print(line(file, answer, threshold, asJSON: arguments.has("json")))
      } catch let error as VoiceError where arguments.operands.count > 1 {
        say("identify: \(error)")
        failed += 1
      }
    }
    if failed > 0 {
      throw VoiceError.failed("\(failed) of \(arguments.operands.count) files were not understood")
    }
  }

  private func listen(_ arguments: VoiceArguments, _ identifier: Identifier, threshold: Double) throws {
    let longest = try arguments.number("seconds", in: 0.1...1e6, else: .infinity)
    let (view, isJSON) = (view(arguments), arguments.has("json"))
    let cutting = identifier.cutting
    var (heard, total, since) = ([Float](), 0, 0)
    var answer: Identifier.Answer?
    VoiceTerminal.ask()
    try view?.enter()
    defer { view?.leave() }
    try Microphone.listen(arguments.text("device") ?? Microphone.standard) { came in
      heard = Array((heard + came).suffix(cutting.span))
      (total, since) = (total + came.count, since + came.count)
      if since >= cutting.hop, heard.count == cutting.span {
        since = 0
        answer = try identifier.answer(Speech(heard))
        if view == nil, let answer {
          let time = Speech.figure(Double(total) / Double(Speech.rate)) + " s"
          print(line(time, answer, threshold, asJSON: isJSON))
        }
      }
      view?.show {
        VoiceView.identification(
          answer, threshold: threshold, level: Speech(Array(heard.suffix(1600))), columns: $0, rows: $1)
      }
      return !VoiceTerminal.isAsked && Double(total) < longest * Double(Speech.rate)
    }
  }

  private func line(_ what: String, _ answer: Identifier.Answer, _ threshold: Double, asJSON: Bool) -> String
  {
    let name = answer.name(threshold: threshold)
    let sorted = answer.probabilities.sorted { $0.share > $1.share }
    guard asJSON else {
      let shares = sorted.prefix(4).map { "\($0.name) \(Int((100 * $0.share).rounded())) %" }
      return "\(what): \(name ?? "nobody I know") (\(shares.joined(separator: ", ")))"
    }
    let shares = Dictionary(answer.probabilities.map { ($0.name, $0.share) }) { first, _ in first }
    let object: [String: Any] = [
      "source": what, "speaker": name ?? NSNull(), "probabilities": shares, "windows": answer.windows,
    ]
    let data = try? JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

// MARK: The rest

extension VoicesCommand {
  private func export(_ arguments: VoiceArguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    guard let path = arguments.text("output") else {
      throw VoiceError.usage("--output is missing: a file such as voices.json or voices.onnx")
    }
    let voices = try TrainedVoices(folder)
    let replaces = arguments.has("force")
    if path.hasSuffix(".json") {
      try voices.export(to: path, replaces: replaces)
    } else if path.hasSuffix(".onnx") {
      let stepwise = try voices.stepwise(Encoder.of(folder))
      try TrainedVoices.exportONNX(stepwise ?? voices.model, to: path, replaces: replaces)
      if let steps = try Encoder.of(folder).steps, stepwise != nil {
        say(
          "\(path): a window goes in as stretches of \(steps.size) numbers, \(steps.hop) apart, one a step; the last step's "
            + "probabilities are the window's")
      }
    } else {
      throw VoiceError.usage("\(path): its name has to end in .json or .onnx")
    }
    say("\(path): \(voices.people.people.joined(separator: ", "))")
  }

  private func list(_ arguments: VoiceArguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    let trained = try? TrainedVoices(folder).people.people
    for name in folder.names() {
      let recordings = folder.recordings(of: name)
      var seconds = 0.0
      for recording in recordings {
        do throws(VoiceError) { seconds += try Speech(contentsOf: recording.path).seconds } catch {
          say("list: \(error)")
        }
      }
      let isTrained = trained?.contains(name) == true
      if arguments.has("json") {
        let object: [String: Any] = [
          "name": name, "recordings": recordings.count, "seconds": seconds, "trained": isTrained,
        ]
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        print(String(decoding: data, as: UTF8.self))
      } else {
        let count = recordings.count == 1 ? "1 recording" : "\(recordings.count) recordings"
        print("\(name): \(count), \(Speech.figure(seconds)) s\(isTrained ? "" : "; not trained yet")")
      }
    }
  }

  private func remove(_ arguments: VoiceArguments) throws {
    let (folder, name) = (try folder(arguments), try name(arguments))
    guard folder.names().contains(name) else {
      let known = folder.names().joined(separator: ", ")
      throw VoiceError.usage("there is nobody called \(name); there are \(known.isEmpty ? "none" : known)")
    }
    // First what tells who speaks: who is forgotten is never named again.
    if FileManager.default.fileExists(atPath: folder.people) {
      do throws(VoiceError) {
        if let rest = try TrainedVoices(folder).without(name) {
          try rest.write(to: folder)
        } else {
          folder.removeModel()
          say("one is left, of whom nothing can be told; record another person and train")
        }
      } catch {
        folder.removeModel()
        say("\(error); it is deleted: train again")
      }
    }
    try folder.remove(name)
    try? FileManager.default.removeItem(atPath: folder.embeddings)
    say("\(name): forgotten")
  }
}
