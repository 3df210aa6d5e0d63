// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// A walk over the inputs of a batch, with a place for each file in the output folder.
///
///     song.wav           song.wav
///     kit/               kick.wav, toms/low.mp3
///       kick.wav         + what was left out, and what cannot be read
///       toms/low.mp3
///
/// Files of a folder come before its folders, each in the order of their names.
struct InputWalk {
  private(set) var names: [String] = []
  private(set) var stretches: [BatchPlan.Stretch] = []
  private(set) var folders: [String] = []
  private(set) var failures: [BatchPlan.Failed] = []

  private let batch: Batch
  private let outputFolder: FileIdentity?
  private var outputsAmongInputs: [String] = []
  private var leftOut = LeftOut()

  init(_ batch: Batch) throws(RenderingError) {
    self.batch = batch
    if let status = try? FileStatus(path: batch.folder) {
      guard status.isFolder else { throw .file(AudioFileError(batch.folder, .notFolder)) }
      outputFolder = status.identity
    } else {
      outputFolder = nil
    }
  }

  /// The files that were left out in the folders, a line for each kind.
  var notices: [String] { outputsAmongInputs + leftOut.lines }

  /// Takes a file, or all that a folder holds.
  ///
  /// - Parameter watch: is told how many files were found, whenever there is one more.
  mutating func add(_ path: String, watch: (Int) -> Void) throws(RenderingError) {
    let status: FileStatus
    do throws(AudioFileError) {
      status = try FileStatus(path: path)
    } catch {
      failures.append(BatchPlan.Failed(input: path, line: error.description))
      return
    }
    if status.isFile {
      let name = PathText.name(of: path)
      begin(
        inputs: String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self), outputs: batch.folder)
      names.append(name)
    } else if status.isFolder {
      guard batch.isRecursive else {
        throw .request(RequestError("\(path) is a folder; \(.isRecursive) takes the files in it"))
      }
      guard status.identity != outputFolder else {
        throw .request(
          RequestError("\(path) is the output folder itself; name another \(.folder), also one within it"))
      }
      let (before, failed) = (names.count, failures.count)
      walk(path, into: batch.folder, watch: watch)
      if names.count == before, failures.count == failed {
        failures.append(BatchPlan.Failed(input: path, line: "\(path): no audio files in it"))
      }
    } else {
      failures.append(
        BatchPlan.Failed(
          input: path, line: "\(path): is a device or a pipe; write MODEL INPUT OUTPUT for one"))
    }
  }

  /// Takes a folder's files, and then its folders', each in the order of their names.
  private mutating func walk(_ folder: String, into outputs: String, watch: (Int) -> Void) {
    let before = names.count
    begin(inputs: PathText.path(folder, ""), outputs: outputs)
    var (files, folders) = ([String](), [String]())
    do throws(AudioFileError) {
      try FolderEntry.each(in: folder) { entry in
        // Hidden files are not recordings.
        guard entry.name.utf8.first != UInt8(ascii: ".") else { return }
        switch entry.kind {
        case .file where AudioFileType.isRead(path: entry.name):
          files.append(entry.name)
          watch(before + files.count)
        case .file: leftOut.note(fileCalled: entry.name)
        case .other: leftOut.others += 1
        case .linkToFolder: leftOut.links += 1
        case .folder: folders.append(entry.name)
        }
      }
    } catch {
      failures.append(BatchPlan.Failed(input: folder, line: error.description))
    }
    names += files.sorted(by: Self.precedes)
    for inner in folders.sorted(by: Self.precedes) {
      let path = PathText.path(folder, inner)
      if let outputFolder, (try? FileStatus(path: path))?.identity == outputFolder {
        outputsAmongInputs.append("\(path): is the output folder; not taken as input")
      } else {
        walk(path, into: PathText.path(outputs, inner), watch: watch)
      }
    }
    if names.count > before, outputs != batch.folder { self.folders.append(outputs) }
  }

  /// The order of names is that of their bytes.
  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  private mutating func begin(inputs: String, outputs: String) {
    if let last = stretches.last {
      guard !last.inputs.utf8.elementsEqual(inputs.utf8) || !last.outputs.utf8.elementsEqual(outputs.utf8)
      else { return }
      if last.first == names.count { stretches.removeLast() }
    }
    stretches.append(BatchPlan.Stretch(first: names.count, inputs: inputs, outputs: outputs))
  }
}
