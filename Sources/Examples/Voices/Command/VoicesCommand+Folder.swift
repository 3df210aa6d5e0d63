// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation

/// `export`, `list` and `remove`.
extension VoicesCommand {
  func export(_ arguments: Arguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    guard let path = arguments.value(of: .output) else {
      throw VoiceError.usage("--output is missing: a file such as voices.json or voices.onnx")
    }
    let voices = try TrainedVoices(folder)
    let replaces = arguments.has(.force)
    if path.hasSuffix(".json") {
      try voices.export(to: path, replaces: replaces)
    } else if path.hasSuffix(".onnx") {
      try voices.exportONNX(to: path, replaces: replaces)
    } else {
      throw VoiceError.usage("\(path): its name has to end in .json or .onnx")
    }
    say("\(path): \(voices.people.people.joined(separator: ", "))")
  }

  func list(_ arguments: Arguments) throws {
    try noOperands(arguments)
    let folder = try folder(arguments)
    var trained: [String]? = []
    if FileManager.default.fileExists(atPath: folder.people) {
      do throws(VoiceError) { trained = try TrainedVoices(folder).people.people } catch {
        say("list: \(error)")
        trained = nil
      }
    }
    let recorded = folder.names()
    let names = recorded + (trained ?? []).filter { !recorded.contains($0) }
    if names.isEmpty { say("list: nobody is known yet; legato-voices record anna records somebody") }
    for name in names {
      let recordings = folder.recordings(of: name)
      var seconds = 0.0
      for recording in recordings {
        do throws(VoiceError) { seconds += try Speech(contentsOf: recording.path).seconds } catch {
          say("list: \(error)")
        }
      }
      let isTrained = trained?.contains(name)
      if arguments.has(.json) {
        let object: [String: Any] = [
          "name": name, "recordings": recordings.count, "seconds": seconds,
          "trained": isTrained ?? NSNull(),
        ]
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        print(String(decoding: data, as: UTF8.self))
      } else {
        let count = recordings.count == 1 ? "1 recording" : "\(recordings.count) recordings"
        print(
          "\(name): \(count), \(Speech.figure(seconds)) s\(isTrained == false ? "; not trained yet" : "")")
      }
    }
  }

  func remove(_ arguments: Arguments) throws {
    let (folder, name) = (try folder(arguments), try name(arguments))
    let recorded = folder.names()
    let names = recorded + TrainedVoices.names(in: folder).filter { !recorded.contains($0) }
    guard names.contains(name) else {
      let known = names.joined(separator: ", ")
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
    if recorded.contains(name) { try folder.remove(name) }
    try? FileManager.default.removeItem(atPath: folder.embeddings)
    say("\(name): forgotten")
  }
}
