// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

/// `record`: a person's speech, of a microphone or a file.
extension VoicesCommand {
  func record(_ arguments: Arguments) throws {
    let (folder, name) = (try folder(arguments), try name(arguments))
    let seconds = try arguments.number(.seconds, in: 1...600) ?? 10
    if try folder.isKnown(name), !arguments.has(.add), name != VoiceFolder.others {
      throw VoiceError.usage(
        "there is a person called \(name) already; --add records more of the same one, another one needs another name"
      )
    }
    let speech: Speech
    if let file = arguments.value(of: .input) {
      guard !arguments.has(.device), !arguments.has(.seconds) else {
        throw VoiceError.usage("--device and --seconds go with the microphone, not with --input")
      }
      speech = try Speech(contentsOf: file)
      try speech.check(file)
    } else {
      guard let recorded = try recorded(arguments, seconds: seconds) else {
        return say("record: ended; nothing is kept")
      }
      speech = recorded
      try speech.check("the microphone")
    }
    let recording = try folder.add(speech, of: name)
    say("\(recording.path): \(Speech.figure(speech.seconds)) s at \(Speech.figure(speech.decibels)) dBFS")
    if speech.clipped > 0.001 {
      say(
        "record: \(Speech.figure(100 * speech.clipped)) % of the samples are at full scale; "
          + "to have a better one, delete that file, turn the level down and record again")
    }
    // Whether the encoder is as it has to be, training tells.
    guard name != VoiceFolder.others, let cutting = try? Encoder.of(folder).cutting else { return }
    var windows = 0
    for recording in folder.recordings(of: name) {
      windows += (try? Speech(contentsOf: recording.path)).map { Array(cutting.windows(of: $0)).count } ?? 0
    }
    if let shortage = LastLayer.shortage(of: name, windows) { say("record: \(shortage)") }
  }

  /// Listens for so long; nil where that was ended.
  private func recorded(_ arguments: Arguments, seconds: Double) throws -> Speech? {
    let (view, wanted) = (view(arguments), Int(seconds * Double(Speech.rate)))
    var samples: [Float] = []
    var lastSecond = -1
    Interruption.beginAsking()
    try view?.enter()
    defer { view?.leave() }
    try Microphone.listen(arguments.value(of: .device) ?? Microphone.standard) { came in
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
      return samples.count < wanted && !Interruption.isAsked
    }
    return Interruption.isAsked ? nil : Speech(Array(samples.prefix(wanted)))
  }
}
