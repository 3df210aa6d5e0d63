// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// How much sound a file's header announces, beside how much there is.
///
///     data : 192000 (should be 19921)   →   192000 bytes announced
///
/// libsndfile takes what there is for the whole, and tells only its log. A stream's header, which nobody corrected
/// afterwards, announces nothing or all that its field can hold: that is no promise.
struct AnnouncedSize {
  private let bytes: Int

  /// Stands behind a size that is not true.
  private static let correction = "(should be "

  /// Nil where nothing is announced, or no more than there is as far as libsndfile tells.
  init?(of file: SoundFile) {
    let major = Int(file.info.format) & SF_FORMAT_TYPEMASK
    // This one is not compared with the file's length.
    let isPlain = major == SF_FORMAT_RF64
    // Whole files are many, and their logs need not be read.
    guard isPlain || file.logHolds(Self.correction) else { return nil }
    // Bytes of the chunk before the samples.
    let offset = major == SF_FORMAT_AIFF ? 8 : 0
    let names = isPlain ? ["Data size"] : ["data", "SSND", "Data Size"]
    var found: Int?
    for line in file.log.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ")
      guard let colon = words.firstIndex(of: ":"), names.contains(words[..<colon].joined(separator: " ")),
        words.count > colon + 1, let size = Int(words[colon + 1]), isPlain || line.contains(Self.correction)
      else { continue }
      found = size
    }
    guard let found, found > offset, !Self.isOpen(found) else { return nil }
    bytes = found - offset
  }

  /// Whether the file ends within the size that it announces, of which libsndfile then reads nothing.
  ///
  ///     Error : psf_fread returned short count.
  ///     data : 0
  static func isCut(in file: SoundFile) -> Bool {
    guard file.logHolds("short count") else { return false }
    let lines = file.log.split(whereSeparator: \.isNewline)
    return zip(lines, lines.dropFirst()).contains { $0.contains("short count") && $1.hasPrefix("data : ") }
  }

  /// The frames announced; nil where a codec decides.
  func frames(_ format: SampleFormat, channels: Int) -> Int? {
    format.bytes.map { bytes / ($0 * channels) }
  }

  /// Whether a size is one that streams carry: the most that 31, 32 or 63 bits hold, or a little less.
  ///
  ///     ffmpeg  data <FFFFFFFF>        sox  data <7FFFF000>
  static func isOpen(_ size: Int) -> Bool {
    let slack = 0x1_0000
    return (0x7FFF_FFFF - slack...0x8000_0000).contains(size)
      || (0xFFFF_FFFF - slack...0xFFFF_FFFF).contains(size) || size > Int.max - slack
  }
}
