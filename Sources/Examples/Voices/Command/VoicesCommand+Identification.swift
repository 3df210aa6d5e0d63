// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation

/// `identify`: who speaks, in files or at the microphone.
extension VoicesCommand {
  func identify(_ arguments: Arguments) throws {
    let folder = try folder(arguments)
    let threshold = try arguments.number(.threshold, in: 0...1) ?? 0.6
    let voices = try TrainedVoices(folder)
    let identifier = try Identifier(voices)
    guard !arguments.operands.isEmpty else {
      return try listen(arguments, identifier, threshold: threshold)
    }
    for option in [Option.device, .seconds, .plain] where arguments.has(option) {
      throw VoiceError.usage("--\(option.name) goes with the microphone, not with files")
    }
    var failed = 0
    for file in arguments.operands {
      do {
        let speech = try Speech(contentsOf: file)
        try speech.check(file)
        guard let answer = try identifier.answer(speech) else {
          throw VoiceError.failed("\(file): nobody speaks in it")
        }
        print(line(file, answer, threshold, asJSON: arguments.has(.json)))
      } catch let error as VoiceError where arguments.operands.count > 1 {
        say("identify: \(error)")
        failed += 1
      }
    }
    if failed > 0 {
      throw VoiceError.failed("\(failed) of \(arguments.operands.count) files were not understood")
    }
  }

  private func listen(_ arguments: Arguments, _ identifier: Identifier, threshold: Double) throws {
    let longest = try arguments.number(.seconds, in: 0.1...1e6) ?? .infinity
    let (view, isJSON) = (view(arguments), arguments.has(.json))
    let cutting = identifier.cutting
    var (heard, total, since) = ([Float](), 0, 0)
    var answer: Identifier.Answer?
    var (windows, loudest) = (0, -Double.infinity)
    Interruption.beginAsking()
    try view?.enter()
    defer { view?.leave() }
    try Microphone.listen(arguments.value(of: .device) ?? Microphone.standard) { came in
      heard = Array((heard + came).suffix(cutting.span))
      (total, since) = (total + came.count, since + came.count)
      if since >= cutting.hop, heard.count == cutting.span {
        since = 0
        loudest = max(loudest, Speech(heard).decibels)
        answer = try identifier.answer(Speech(heard))
        windows += answer == nil ? 0 : 1
        if view == nil, let answer {
          let time = Speech.figure(Double(total) / Double(Speech.rate)) + " s"
          print(line(time, answer, threshold, asJSON: isJSON))
        }
      }
      view?.show {
        VoiceView.identification(
          answer, threshold: threshold, level: Speech(Array(heard.suffix(1600))), columns: $0, rows: $1)
      }
      return !Interruption.isAsked && Double(total) < longest * Double(Speech.rate)
    }
    guard windows == 0 else { return }
    if loudest.isFinite {
      throw VoiceError.failed(
        "nobody was heard (\(Speech.figure(loudest)) dBFS at most); come nearer to the microphone, or turn its level up"
      )
    }
    // Who ends it before a window was heard knows why.
    guard Interruption.isAsked else {
      throw VoiceError.failed(
        "\(Speech.figure(longest)) s are too short; a window has \(Speech.figure(Double(cutting.span) / Double(Speech.rate))) s"
      )
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
