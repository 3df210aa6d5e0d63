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
  struct Stretch: Sendable {
    /// The first of them among all files.
    let first: Int
    /// Stands before the names as they are: a folder with its slash, or nothing.
    let inputs: String
    /// The folder of their outputs.
    let outputs: String
  }

  private let names: NameList
  private let stretches: [Stretch]
  private let suffix: String
  /// Folders below the output folder that have to be there.
  let folders: [String]
  /// What cannot be read, and why; the rest is rendered all the same.
  let failures: [Failed]
  /// What was left out in the folders, a line each.
  let notices: [String]

  /// - Parameter watch: is told how many files were found, whenever there is one more.
  init(_ options: BatchOptions, watch: (Int) -> Void) throws(Failure) {
    var walk = try InputWalk(options)
    for input in options.inputs { try walk.add(input, watch: watch) }
    (stretches, folders, failures) = (walk.stretches, walk.folders, walk.failures)
    notices = walk.notices
    suffix = options.suffix
    names = walk.finish()
    try OutputClash.check(self)
  }

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
      output: PathText.path(stretch.outputs, AudioFileType.outputName(of: name, suffix: suffix)))
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
}
