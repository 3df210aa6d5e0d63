// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// The entries of a batch's folders that are not rendered.
struct LeftOut: Sendable {
  /// Links to folders.
  var links = 0
  /// Devices, pipes, and links that lead nowhere.
  var others = 0
  private var files = 0
  private var endings: Set<String> = []

  /// More of them make no line that is read.
  private static let mostEndings = 6

  mutating func note(fileCalled name: String) {
    files += 1
    guard endings.count <= Self.mostEndings, let ending = AudioFileType.ending(of: name) else { return }
    endings.insert("." + ending.lowercased())
  }

  /// A line for each kind: "9 files left out: not audio by the name's extension (.jpg, .txt)".
  var lines: [String] {
    var lines: [String] = []
    if files > 0 {
      let shown = endings.sorted().prefix(Self.mostEndings).map { printable($0, limit: 20) }
      let list = shown.joined(separator: ", ") + (endings.count > Self.mostEndings ? ", …" : "")
      lines.append(
        "\(counted(files, "file")) left out: not audio by the name's extension"
          + (list.isEmpty ? "" : " (\(list))"))
    }
    if links > 0 { lines.append("\(counted(links, "link")) to folders left out") }
    if others > 0 {
      lines.append(
        others == 1
          ? "1 device, pipe or link that leads nowhere left out"
          : "\(others) devices, pipes or links that lead nowhere left out")
    }
    return lines
  }
}
