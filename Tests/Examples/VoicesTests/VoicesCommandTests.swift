// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Listening
import TestEquipment
import Testing
import Voices

/// The whole program on voices that are made of pulses and resonances, in a folder of its own.
@Suite struct VoicesCommandTests {
  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  /// The outcome of a command line.
  private struct Done {
    var code: Int32 = 0
    var results: [String] = []
    var messages: [String] = []
  }

  private func run(_ words: String...) -> Done { run(words) }

  private func run(_ words: [String]) -> Done {
    final class Lines { var results: [String] = [], messages: [String] = [] }
    let lines = Lines()
    let command = VoicesCommand(
      environment: ["XDG_DATA_HOME": place.path], print: { lines.results.append($0) },
      say: { lines.messages.append($0) })
    let code = command.run(words)
    return Done(code: code, results: lines.results, messages: lines.messages)
  }

  private func sound(_ name: String, _ voice: SyntheticVoice, seconds: Double, seed: UInt64) throws -> String
  {
    let samples = voice.samples(seconds: seconds, seed: seed)
    return try place.make(name, WaveBytes(rate: 16000, [samples]).bytes)
  }

  private func speaker(_ line: String) -> String? {
    let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    return object?["speaker"] as? String
  }

  @Test func peopleComeStayAndGo() throws {
    let voices = ["anna": SyntheticVoice.high, "bert": .low]
    for (name, voice) in voices {
      let done = run("record", name, "--input", try sound("\(name).wav", voice, seconds: 8, seed: 1))
      #expect(done.code == 0, "\(done.messages)")
    }
    #expect(
      run("list").results == [
        "anna: 1 recording, 8.0 s; not trained yet", "bert: 1 recording, 8.0 s; not trained yet",
      ])
    let trained = run("train", "--epochs", "6", "--rate", "0.03")
    #expect(trained.code == 0, "\(trained.messages)")
    #expect(trained.messages.prefix(2) == ["recording 1 of 2", "recording 2 of 2"])
    let tests = try voices.map { ($0.key, try sound("\($0.key)-2.wav", $0.value, seconds: 5, seed: 2)) }
    for (name, file) in tests {
      let done = run("identify", "--json", file)
      #expect(done.results.map(speaker) == [name], "\(done)")
    }
    // One more keeps the others.
    let more = try sound("carl.wav", .middle, seconds: 8, seed: 3)
    #expect(run("record", "carl", "--input=\(more)").code == 0)
    #expect(run("train", "--epochs", "6", "--rate", "0.03").code == 0)
    let third = try sound("carl-2.wav", .middle, seconds: 5, seed: 4)
    for (name, file) in tests + [("carl", third)] {
      #expect(run("identify", "--json", file).results.map(speaker) == [name])
    }
    #expect(run("identify", "--threshold", "1", third).results.first?.contains("nobody I know") == true)
    // Who goes is not named again, and the model is whole without.
    #expect(run("remove", "bert").code == 0)
    #expect(run("list").results.map { $0.prefix(4) } == ["anna", "carl"])
    let low = run("identify", "--json", tests.first { $0.0 == "bert" }!.1)
    #expect(low.code == 0)
    #expect(!low.results[0].contains("\"bert\""))
    #expect(run("identify", "--json", third).results.map(speaker) == ["carl"])
  }

  @Test func theSameSeedLearnsTheSame() throws {
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      #expect(run("record", name, "--input", try sound("\(name).wav", voice, seconds: 5, seed: 1)).code == 0)
    }
    let weights = place("legato-voices/voices.safetensors")
    #expect(run("train").code == 0)
    let first = try Data(contentsOf: URL(filePath: weights))
    // Embeddings come from the file now.
    #expect(run("train").code == 0)
    #expect(try Data(contentsOf: URL(filePath: weights)) == first)
    #expect(run("train", "--seed", "7").code == 0)
    #expect(try Data(contentsOf: URL(filePath: weights)) != first)
  }

  /// A recording that is damaged ends it in the midst.
  @Test func anEndKeepsTheEmbeddingsThatWereMade() throws {
    try recordTwo()
    func kept() throws -> [String] {
      try TensorArchive(contentsOf: place("legato-voices/embeddings.safetensors")).names.sorted()
    }
    for person in ["bert", "anna"] {
      let damaged = place("legato-voices/recordings/\(person)/2.wav")
      try Data(contentsOf: URL(filePath: place("bert.wav"))).prefix(50_000).write(to: URL(filePath: damaged))
      #expect(run("train").code == 1)
      // Of anna's second one it does not come to bert, whose rows were known.
      #expect(try kept().map { $0.prefix(11) } == ["anna/1.wav@", "bert/1.wav@"])
      try FileManager.default.removeItem(atPath: damaged)
    }
  }

  @Test func whatIsExportedSaysTheSame() throws {
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      #expect(run("record", name, "--input", try sound("\(name).wav", voice, seconds: 5, seed: 1)).code == 0)
    }
    #expect(run("train").code == 0)
    let (json, onnx) = (place("out.json"), place("out.onnx"))
    #expect(run("export", "--output", json).code == 0)
    #expect(run("export", "-o", onnx).code == 0)
    let samples = SyntheticVoice.low.samples(seconds: 1.6, seed: 5)
    var answers: [[Float]] = []
    for path in [json, onnx, place("legato-voices/voices.json")] {
      let model = try Model(contentsOf: path)
      var runner = try StepRunner(model.compilation())
      answers.append(try runner.step(["sound": Tensor(samples)])["probabilities"]!.values)
    }
    #expect(try Model(contentsOf: json).labels(of: "probabilities") == ["anna", "bert"])
    for answer in answers {
      #expect(abs(answer.reduce(0, +) - 1) < 1e-5)
      #expect(zip(answer, answers[0]).allSatisfy { abs($0 - $1) < 1e-5 })
    }
    // It listens as it is: its file says the rate, and how far windows are apart.
    var listener = try Listener(Model(contentsOf: json))
    #expect(listener.rate == 16_000 && listener.form.window == 25_600 && listener.hop < 25_600)
    #expect(listener.labels == ["anna", "bert"])
    #expect(try listener.listen(samples).map(\.probabilities) == [answers[0]])
    let again = run("export", "-o", json)
    #expect(again.code == 1 && again.messages.count == 1, "\(again)")
    #expect(run("export", "-o", json, "--force").code == 0)
    #expect(run("export", "-o", place("out.txt")).code == 2)
  }

  /// Recordings of two people, 5 s of each.
  private func recordTwo() throws {
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      #expect(run("record", name, "--input", try sound("\(name).wav", voice, seconds: 5, seed: 1)).code == 0)
    }
  }

  /// Layers along a window become loops: `compare-export` finds ONNX Runtime to say the same.
  @Test func aRecurrentEncoderIsExportedWithWholeWindows() throws {
    try recordTwo()
    let reference = try #require(Bundle.module.path(forResource: "reference", ofType: nil))
    try FileManager.default.copyItem(
      atPath: reference + "/encoder", toPath: place("legato-voices/encoder"))
    #expect(run("train").code == 0)
    let done = run("export", "-o", place("out.onnx"))
    #expect(done.code == 0 && done.messages == ["\(place("out.onnx")): anna, bert"], "\(done)")
    let bytes = try Data(contentsOf: URL(filePath: place("out.onnx")))
    #expect(bytes.range(of: Data("Scan".utf8)) != nil)
    try expectAnyLevelIsTheSame()
  }

  @Test func howLoudAWindowIsChangesNothing() throws {
    try recordTwo()
    #expect(run("train").code == 0)
    try expectAnyLevelIsTheSame()
  }

  /// An exported model, listening, says of a window what `identify` says of it, however loud it is.
  private func expectAnyLevelIsTheSame() throws {
    #expect(run("export", "-o", place("level.json")).code == 0)
    var listener = try Listener(Model(contentsOf: place("level.json")))
    let samples = SyntheticVoice.low.samples(seconds: 2, seed: 5)
    let heard = try #require(listener.listen(samples).first?.probabilities)
    for factor in [Float(1), 0.03, 2] {
      let scaled = samples.prefix(listener.form.window).map { factor * $0 }
      listener.reset()
      let own = try #require(listener.listen(scaled).first?.probabilities)
      let file = try place.make("scaled.wav", WaveBytes(rate: 16000, [scaled]).bytes)
      let line = try #require(run("identify", "--json", file).results.first)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let told = try #require(object?["probabilities"] as? [String: Double])
      for (name, numbers) in zip(listener.labels, zip(own, heard)) {
        #expect(abs(numbers.0 - numbers.1) < 1e-4, "\(factor): \(own) \(heard)")
        // The windows of the recurrent encoder begin a little before what is identified.
        #expect(abs(Float(told[name] ?? -1) - numbers.0) < 0.02, "\(factor): \(told) \(own)")
      }
    }
  }

  @Test func fourWindowsAreEnoughAndFewerAreNot() throws {
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      #expect(run("record", name, "--input", try sound("\(name).wav", voice, seconds: 4, seed: 1)).code == 0)
    }
    let short = try sound("carl.wav", .middle, seconds: 1.6, seed: 1)
    let told = run("record", "carl", "--input", short)
    #expect(told.code == 0 && told.messages.last?.contains("carl: 1 of the 4 windows") == true, "\(told)")
    #expect(
      run("record", "carl", "--add", "--input", short).messages.last?.contains("carl: 2 of the 4") == true)
    #expect(run("record", "others", "--input", try sound("o.wav", .middle, seconds: 1.6, seed: 2)).code == 0)
    let refused = run("train")
    #expect(refused.code == 1)
    #expect(refused.messages.last?.contains("carl: 2 of the 4") == true, "\(refused)")
    #expect(run("remove", "carl").code == 0)
    #expect(run("train", "--epochs", "6", "--rate", "0.03").code == 0)
    for (name, voice) in [("anna", SyntheticVoice.high), ("bert", .low)] {
      let done = run("identify", "--json", try sound("\(name)-2.wav", voice, seconds: 5, seed: 2))
      #expect(done.results.map(speaker) == [name], "\(done)")
    }
  }

  @Test func aRecordingThatIsTooLoudIsKeptUntilItIsReplaced() throws {
    let samples = SyntheticVoice.high.samples(seconds: 5, seed: 1).map { max(-1, min(1, 8 * $0)) }
    let loud = try place.make("loud.wav", WaveBytes(rate: 16000, [samples]).bytes)
    let told = run("record", "anna", "--input", loud)
    #expect(told.code == 0 && told.messages.count == 2, "\(told)")
    #expect(told.messages[1].contains("delete that file, turn the level down and record again"), "\(told)")
    try FileManager.default.removeItem(atPath: place("legato-voices/recordings/anna/1.wav"))
    let done = run("record", "anna", "--input", try sound("calm.wav", .high, seconds: 5, seed: 1))
    #expect(done.code == 0 && done.messages.count == 1, "\(done)")
  }

  @Test func marksOfLettersMakeNoOtherName() throws {
    let anna = try sound("a.wav", .high, seconds: 5, seed: 1)
    #expect(run("record", "Rene\u{301}", "--input", anna).code == 0)
    #expect(run("record", "Ren\u{e9}", "--input", anna).messages.last?.contains("already") == true)
    #expect(run("list").results.map { $0.prefix(4) } == ["Ren\u{e9}"])
    #expect(run("remove", "Rene\u{301}").code == 0)
  }

  @Test func whoHasNoRecordingsAnyMoreIsListedAndForgotten() throws {
    try recordTwo()
    #expect(run("record", "carl", "--input", try sound("c.wav", .middle, seconds: 5, seed: 1)).code == 0)
    #expect(run("train").code == 0)
    try FileManager.default.removeItem(atPath: place("legato-voices/recordings/carl"))
    #expect(run("list").results.last == "carl: 0 recordings, 0.0 s")
    #expect(run("remove", "dora").messages.last?.contains("anna, bert, carl") == true)
    let gone = run("remove", "carl")
    #expect(gone.code == 0 && gone.messages == ["carl: forgotten"], "\(gone)")
    #expect(run("list").results.count == 2)
    let low = run("identify", "--json", place("bert.wav"))
    #expect(low.code == 0 && !low.results[0].contains("carl"), "\(low)")
  }

  @Test func weightsThatDoNotFitThePeopleAreTold() throws {
    try recordTwo()
    #expect(run("train").code == 0)
    let weights = URL(filePath: place("legato-voices/voices.safetensors"))
    func refused() {
      for words in [["identify", place("bert.wav")], ["export", "-o", place("out.json")]] {
        let done = run(words)
        #expect(done.code == 1 && done.messages.count == 1, "\(done)")
        #expect(done.messages.first?.contains("voices.safetensors: has other people") == true, "\(done)")
      }
    }
    let two = try Data(contentsOf: weights)
    // The array of one axis, as many numbers as before.
    for name in ["head.weight", "head.centres"] {
      var flat = two
      let start = try #require(flat.range(of: Data(name.utf8))).upperBound
      let shape = try #require(flat.range(of: Data("[2,48]".utf8), in: start..<flat.endIndex))
      flat.replaceSubrange(shape, with: Data("[  96]".utf8))
      try flat.write(to: weights)
      refused()
    }
    #expect(run("record", "carl", "--input", try sound("c.wav", .middle, seconds: 5, seed: 1)).code == 0)
    #expect(run("train").code == 0)
    try two.write(to: weights)
    refused()
    #expect(run("remove", "carl").code == 0)
    #expect(!FileManager.default.fileExists(atPath: weights.path()))
  }

  @Test func aProgramWithoutItsEncoderSaysSo() throws {
    let error = try #require(throws: VoiceError.self) { try Encoder.embedded(beside: place.path) }
    #expect(error.description.hasPrefix(place("Legato_Voices.resources") + ": is missing"))
  }

  @Test func whatIsWrongGetsALine() throws {
    func refused(_ words: [String], _ code: Int32, _ part: String) {
      let done = run(words)
      #expect(done.code == code, "\(words) \(done)")
      // Recordings are counted until one is damaged.
      let messages = done.messages.filter { !$0.hasPrefix("recording ") }
      #expect(messages.count == 1 && messages[0].contains(part), "\(words) \(done)")
    }
    let anna = try sound("anna.wav", .high, seconds: 4, seed: 1)
    refused(["train"], 1, "there is no recording yet")
    #expect(run("list").messages == ["list: nobody is known yet; legato-voices record anna records somebody"])
    refused(["record", "anna", "--input", anna, "--folder", anna], 2, "is a file, not a folder")
    refused(["record", "anna", "--input", anna, "--folder", anna + "/a"], 1, "is a file, not a folder")
    for (rate, odd) in [(16_000, Float.nan), (44_100, .infinity)] {
      let samples = SyntheticVoice.high.samples(seconds: 4, seed: 1).enumerated().map { $0 == 7 ? odd : $1 }
      let file = try place.make("odd.wav", WaveBytes(rate: rate, [samples]).bytes)
      refused(["record", "anna", "--input", file], 1, "frame 7 of channel 1 is no finite number")
    }
    refused(["identify", anna], 1, "nothing is trained yet")
    refused(["record", "a/b", "--input", anna], 2, "a name has")
    refused(["record", "--input", anna], 2, "one name is needed")
    refused(["record", "anna", "--input", place("none.wav")], 1, "none.wav")
    let silent = try place.make(
      "silent.wav", WaveBytes(rate: 16000, [[Float](repeating: 0, count: 160_000)]).bytes)
    refused(["record", "anna", "--input", silent], 1, "silence")
    let short = try sound("short.wav", .high, seconds: 0.5, seed: 1)
    refused(["record", "anna", "--input", short], 1, "0.50 s are too short; 0.8 s are the least")
    let nearly = try sound("nearly.wav", .high, seconds: 0.7999, seed: 1)
    refused(["record", "anna", "--input", nearly], 1, "0.79 s are too short")
    let cut = try place.make("cut.wav", Data(contentsOf: URL(filePath: anna)).prefix(90_000))
    refused(["record", "anna", "--input", cut], 1, "cut.wav")
    refused(["record", "anna", "--device", "none"], 3, "--device")
    #expect(!FileManager.default.fileExists(atPath: place("legato-voices")))
    #expect(run("record", "anna", "--input", anna).code == 0)
    refused(["record", "anna", "--input", anna], 2, "already")
    refused(["record", "Anna", "--input", anna], 2, "there is a person called anna")
    refused(["train"], 1, "the only one")
    refused(["remove", "bert"], 2, "nobody called bert")
    refused(["train", "--epochs", "none"], 2, "--epochs")
    refused(["train", "--speed", "1"], 2, "no option")
    refused(["sing"], 2, "there is no 'sing'")
    let bert = try sound("bert.wav", .low, seconds: 4, seed: 1)
    #expect(run("record", "bert", "--input", bert).code == 0)
    #expect(run("train").code == 0)
    // What was trained before stays where a recording is damaged, or the encoder is none.
    let weights = place("legato-voices/voices.safetensors")
    let before = try Data(contentsOf: URL(filePath: weights))
    try Data(contentsOf: URL(filePath: bert)).prefix(50_000).write(
      to: URL(filePath: place("legato-voices/recordings/bert/2.wav")))
    refused(["train"], 1, "bert/2.wav")
    try FileManager.default.removeItem(atPath: place("legato-voices/recordings/bert/2.wav"))
    try place.makeFolder("legato-voices/encoder")
    refused(["train"], 1, "encoder/encoder.json: no such file")
    try place.make("legato-voices/encoder/encoder.json", #"{ "form": 3, "name": "of tomorrow" }"#)
    refused(["train"], 1, "is of form 3")
    try place.make("legato-voices/encoder/encoder.json", "nonsense")
    refused(["train"], 1, "no encoder's file")
    #expect(try Data(contentsOf: URL(filePath: weights)) == before)
    #expect(run("identify", bert).code == 0)
    // A damaged model is told, and does not keep anybody from being forgotten.
    try Data(before.prefix(20_000)).write(to: URL(filePath: weights))
    refused(["identify", bert], 1, "it is cut off")
    try place.make("legato-voices/people.json", "{}")
    refused(["identify", bert], 1, "people.json")
    let listed = run("list")
    #expect(listed.messages.count == 1 && listed.messages[0].contains("people.json: is damaged"), "\(listed)")
    #expect(listed.results.allSatisfy { !$0.contains("not trained") })
    #expect(run("remove", "bert").code == 0)
    #expect(run("list").results.count == 1)
    #expect(!FileManager.default.fileExists(atPath: weights))
  }

  @Test func everySubcommandSaysWhatItTakes() {
    #expect(run("--help").results.count > 6)
    for name in ["record", "train", "identify", "export", "list", "remove"] {
      let help = run(name, "--help")
      #expect(help.code == 0 && help.results.contains { $0.contains("--folder DIR") })
    }
  }
}
