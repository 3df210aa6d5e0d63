// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Which file becomes which: the inputs that a command line names, each with its place in the output folder.
///
///     song.wav, kit (kick.wav, toms/low.mp3)  ─▶  out/song.wav, out/kick.wav, out/toms/low.wav
///
/// It is whole before anything is written: two files with one place, or an output that is an input, end the run.
struct BatchPlan {
  struct Item: Sendable {
    let input: String
    let output: String
  }

  private(set) var items: [Item] = []
  /// Folders below the output folder that have to be there.
  private(set) var folders: [String] = []
  /// What cannot be read, a line each; the rest is rendered all the same.
  private(set) var failures: [String] = []
  /// What was left out in the folders, a line each.
  private(set) var notices: [String] = []

  private let options: BatchOptions
  private let outputFolder: FileIdentity?
  private var leftOut = 0
  private var links = 0

  init(_ options: BatchOptions) throws(Failure) {
    self.options = options
    if let status = try? PathStatus(path: options.folder) {
      guard status.isFolder else { throw .faults(["\(options.folder): is a file, not a folder"]) }
      outputFolder = status.identity
    } else {
      outputFolder = nil
    }
    for input in options.inputs { try add(input) }
    if leftOut > 0 {
      notices.append("\(counted(leftOut, "file")) left out: not audio by the name's extension")
    }
    if links > 0 { notices.append("\(counted(links, "link")) to folders left out") }
    try checkPlaces()
  }

  // MARK: Collecting

  private mutating func add(_ path: String) throws(Failure) {
    let status: PathStatus
    do throws(AudioFileError) {
      status = try PathStatus(path: path)
    } catch {
      failures.append(error.description)
      return
    }
    if status.isFile {
      append(path, in: "")
    } else if status.isFolder {
      guard options.isRecursive else {
        throw .usage("\(path) is a folder; --recursive takes the files in it")
      }
      guard status.identity != outputFolder else {
        throw .usage("\(path) is the output folder itself; name another --output-dir, also one within it")
      }
      let before = items.count
      walk(path, into: "")
      if items.count == before, failures.isEmpty { failures.append("\(path): no audio files in it") }
    } else {
      failures.append("\(path): is a device or a pipe; write MODEL INPUT OUTPUT for one")
    }
  }

  /// - Parameter place: the folder's place below the output folder, with a slash behind it; empty for that itself.
  private mutating func walk(_ folder: String, into place: String) {
    let entries: [FolderEntry]
    do throws(AudioFileError) {
      entries = try FolderEntry.all(in: folder)
    } catch {
      failures.append(error.description)
      return
    }
    let before = items.count
    // Hidden files are nobody's recordings.
    for entry in entries where entry.name.utf8.first != UInt8(ascii: ".") {
      let path = PathText.path(folder, entry.name)
      switch entry.kind {
      case .file where AudioFileType.isRead(path: path): append(path, in: place)
      case .file, .other: leftOut += 1
      case .linkToFolder: links += 1
      case .folder:
        if let outputFolder, (try? PathStatus(path: path))?.identity == outputFolder {
          notices.append("\(path): is the output folder; not taken as input")
        } else {
          walk(path, into: place + entry.name + "/")
        }
      }
    }
    if items.count > before, !place.isEmpty { folders.append(PathText.path(options.folder, place)) }
  }

  private mutating func append(_ input: String, in place: String) {
    let name = AudioFileType.outputName(of: PathText.name(of: input), suffix: options.suffix)
    items.append(Item(input: input, output: PathText.path(options.folder, place + name)))
  }

  // MARK: Checking

  private func checkPlaces() throws(Failure) {
    var owners: [[UInt8]: Int] = [:]
    owners.reserveCapacity(items.count)
    var (first, others) = (nil as String?, 0)
    for (index, item) in items.enumerated() {
      // By bytes: strings are equal that are written differently, and are names of different files.
      guard let owner = owners.updateValue(index, forKey: Array(item.output.utf8)) else { continue }
      others += 1
      if first == nil {
        first = "\(items[owner].input) and \(item.input) would both become \(item.output)"
      }
    }
    guard let first else { return }
    throw .usage(
      first + (others > 1 ? ", and \(counted(others - 1, "other")) like them" : "")
        + "; render them into different folders")
  }
}
