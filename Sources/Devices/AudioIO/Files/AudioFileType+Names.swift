// SPDX-License-Identifier: Apache-2.0

/// Names of files, in folders with many.
extension AudioFileType {
  /// Extensions of types that are read but not written.
  private static let readOnly: Set<String> = [
    "aifc", "au", "avr", "htk", "iff", "mat", "mp1", "mp2", "mp3", "mpc", "nist", "oga", "opus", "paf", "pvf",
    "sd2", "sds", "sf", "snd", "sph", "svx", "voc", "w64", "wavex", "wve", "xi",
  ]

  /// Extensions of types that are neither read nor written.
  private static let foreign: Set<String> = [
    "aac", "ac3", "ape", "dsf", "m4a", "m4b", "mka", "mp4", "mpga", "tta", "webm", "wma", "wv",
  ]

  /// Whether a name says that a file is of a type that is not written, by the extension, in capitals or not.
  package static func isUnwritten(path: String) -> Bool {
    guard let ending = ending(of: path)?.lowercased(), AudioFileType(path: path) == nil else { return false }
    return readOnly.contains(ending) || foreign.contains(ending)
  }

  /// Whether a file with this name is one that can be read, by the extension, in capitals or not.
  package static func isRead(path: String) -> Bool {
    AudioFileType(path: path) != nil || ending(of: path).map { readOnly.contains($0.lowercased()) } ?? false
  }

  /// The name of an output.
  ///
  ///     kick.wav, ""            kick.wav
  ///     kick.wav, "-dark"       kick-dark.wav
  ///     kick.wav, "-dark.flac"  kick-dark.flac
  ///     kick.mp3, ""            kick.wav: no type that is written
  package static func outputName(of name: String, suffix: String) -> String {
    let extent = ending(of: name)
    let stem = extent.map { String(decoding: name.utf8.dropLast($0.utf8.count + 1), as: UTF8.self) } ?? name
    if AudioFileType(path: "x" + suffix) != nil { return stem + suffix }
    guard let extent, AudioFileType(path: name) != nil else {
      let isKnown = extent.map { readOnly.contains($0.lowercased()) } ?? false
      return (isKnown ? stem : name) + suffix + ".wav"
    }
    return stem + suffix + "." + extent
  }

  /// The letters behind the last dot of a name; nil where that is its first character, or there is none.
  package static func ending(of path: String) -> String? {
    let name = PathText.name(of: path)
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    return String(name[name.utf8.index(after: dot)...])
  }
}
