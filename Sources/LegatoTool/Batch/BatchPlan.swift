// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Which file becomes which: the inputs that a command line names, each with its place in the output folder.
///
///     song.wav, kit (kick.wav, toms/low.mp3)  ─▶  out/song.wav, out/kick.wav, out/toms/low.wav
///
/// It is whole before anything is written: two files with one place, or an output that is an input, end the run.
/// A file is kept as its name and its folder; both its paths are made when somebody asks for them.
struct BatchPlan: Sendable {
  struct Item: Sendable {
    let input: String
    let output: String
  }

  /// An input, or a folder of inputs, of which nothing can be rendered.
  struct Failed: Sendable {
    let input: String
    let line: String
  }

  /// Files one after the other whose paths begin alike.
  private struct Stretch: Sendable {
    /// The first of them among all files.
    let first: Int
    /// Stands before the names as they are: a folder with its slash, or nothing.
    let inputs: String
    /// The folder of their outputs.
    let outputs: String
  }

  private var names = NameList()
  private var stretches: [Stretch] = []
  /// Folders below the output folder that have to be there.
  private(set) var folders: [String] = []
  /// What cannot be read, and why; the rest is rendered all the same.
  private(set) var failures: [Failed] = []
  /// What was left out in the folders, a line each.
  private(set) var notices: [String] = []

  private let options: BatchOptions
  private let outputFolder: FileIdentity?
  private var leftOut = LeftOut()

  init(_ options: BatchOptions) throws(Failure) {
    self.options = options
    if let status = try? PathStatus(path: options.folder) {
      guard status.isFolder else { throw .faults(["\(options.folder): is a file, not a folder"]) }
      outputFolder = status.identity
    } else {
      outputFolder = nil
    }
    for input in options.inputs { try add(input) }
    notices += leftOut.lines
    try OutputClash.check(self)
  }

  // MARK: Asking

  var count: Int { names.count }

  subscript(index: Int) -> Item { item(names[index], in: stretches[stretch(of: index)]) }

  /// All files, in order: sooner gone through than asked for one after the other.
  var items: some Sequence<Item> {
    AnySequence { () -> AnyIterator<Item> in
      var (index, stretch, names) = (0, 0, self.names.makeIterator())
      return AnyIterator {
        guard let name = names.next() else { return nil }
        while stretch + 1 < stretches.count, stretches[stretch + 1].first <= index { stretch += 1 }
        index += 1
        return item(name, in: stretches[stretch])
      }
    }
  }

  private func item(_ name: String, in stretch: Stretch) -> Item {
    Item(
      input: stretch.inputs + name,
      output: PathText.path(stretch.outputs, AudioFileType.outputName(of: name, suffix: options.suffix)))
  }

  /// The folders in which outputs stand, as their paths have them.
  var outputFolders: [String] {
    // By bytes: strings are equal that are written differently, and are names of different folders.
    var known: Set<[UInt8]> = []
    return stretches.map { PathText.folder(of: PathText.path($0.outputs, "x")) }.filter {
      known.insert(Array($0.utf8)).inserted
    }
  }

  private func stretch(of index: Int) -> Int {
    var (low, high) = (0, stretches.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if stretches[middle].first <= index { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Collecting

  private mutating func add(_ path: String) throws(Failure) {
    let status: PathStatus
    do throws(AudioFileError) {
      status = try PathStatus(path: path)
    } catch {
      failures.append(Failed(input: path, line: error.description))
      return
    }
    if status.isFile {
      let name = PathText.name(of: path)
      begin(
        inputs: String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self), outputs: options.folder)
      names.append(name.utf8)
    } else if status.isFolder {
      guard options.isRecursive else {
        throw .usage("\(path) is a folder; --recursive takes the files in it")
      }
      guard status.identity != outputFolder else {
        throw .usage("\(path) is the output folder itself; name another --output-dir, also one within it")
      }
      let (before, failed) = (count, failures.count)
      walk(path, into: options.folder)
      if count == before, failures.count == failed {
        failures.append(Failed(input: path, line: "\(path): no audio files in it"))
      }
    } else {
      failures.append(
        Failed(input: path, line: "\(path): is a device or a pipe; write MODEL INPUT OUTPUT for one"))
    }
  }

  /// Takes a folder's files, and then its folders', each in the order of their names.
  private mutating func walk(_ folder: String, into outputs: String) {
    let before = count
    begin(inputs: PathText.path(folder, ""), outputs: outputs)
    var (files, folders) = (NameSorter(), NameSorter())
    var inner = NameList()
    do throws(AudioFileError) {
      try FolderEntry.each(in: folder) { entry in
        // Hidden files are nobody's recordings.
        guard entry.name.utf8.first != UInt8(ascii: ".") else { return }
        switch entry.kind {
        case .file where AudioFileType.isRead(path: entry.name): files.append(entry.name, to: &names)
        case .file: leftOut.note(fileCalled: entry.name)
        case .other: leftOut.others += 1
        case .linkToFolder: leftOut.links += 1
        case .folder: folders.append(entry.name, to: &inner)
        }
      }
    } catch {
      failures.append(Failed(input: folder, line: error.description))
    }
    files.hand(to: &names)
    folders.hand(to: &inner)
    for index in 0..<inner.count {
      let path = PathText.path(folder, inner[index])
      if let outputFolder, (try? PathStatus(path: path))?.identity == outputFolder {
        notices.append("\(path): is the output folder; not taken as input")
      } else {
        walk(path, into: PathText.path(outputs, inner[index]))
      }
    }
    if count > before, outputs != options.folder { self.folders.append(outputs) }
  }

  private mutating func begin(inputs: String, outputs: String) {
    if let last = stretches.last {
      guard !last.inputs.utf8.elementsEqual(inputs.utf8) || !last.outputs.utf8.elementsEqual(outputs.utf8)
      else { return }
      if last.first == count { stretches.removeLast() }
    }
    stretches.append(Stretch(first: count, inputs: inputs, outputs: outputs))
  }
}
