// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// The plan of a batch: which file becomes which.
///
///     song.wav, kit (kick.wav, toms/low.mp3)  ─▶  out/song.wav, out/kick.wav, out/toms/low.wav
///
/// It is whole before anything is written: two files with one place, or an output that is an input, end the run.
/// A file is kept as its name and its folder; both its paths are made when somebody asks for them.
public struct BatchPlan: Sendable {
  /// A file and what it becomes.
  public struct Item: Sendable {
    public let input: String
    public let output: String
  }

  /// An input, or a folder of inputs, of which nothing can be rendered.
  public struct Failed: Sendable {
    public let input: String
    /// Begins with the input.
    public let line: String
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

  let batch: Batch
  let renderer: FileRenderer
  private let names: [String]
  private let stretches: [Stretch]
  /// Folders below the output folder that have to be there.
  let folders: [String]
  /// The inputs that cannot be read, and why; the rest is rendered all the same.
  public let failures: [Failed]
  /// The files that were left out in the folders, a line for each kind.
  public let notices: [String]

  /// Looks for the files.
  ///
  /// - Parameters:
  ///   - batch: The inputs and the output folder.
  ///   - renderer: Renders all files.
  ///   - watch: Is told how many files were found, whenever there is one more.
  /// - Throws: `RenderingError.unfit` where the model has no input; `request` where a folder is not to be gone through,
  ///   or two files would become one; `file` where the output folder is a file.
  public init(
    _ batch: Batch, for renderer: FileRenderer, watch: (_ found: Int) -> Void = { _ in }
  ) throws(RenderingError) {
    try renderer.checkInputs()
    (self.batch, self.renderer) = (batch, renderer)
    renderer.prepare()
    var walk = try InputWalk(batch)
    for input in batch.inputs { try walk.add(input, watch: watch) }
    (names, stretches, folders, failures) = (walk.names, walk.stretches, walk.folders, walk.failures)
    notices = walk.notices
    try checkOutputs()
  }

  /// How many files there are.
  public var count: Int { names.count }

  public subscript(index: Int) -> Item { item(index, in: stretches[stretch(of: index)]) }

  /// All files, in order: faster to iterate over than to index.
  public var items: some Sequence<Item> {
    AnySequence { () -> AnyIterator<Item> in
      var (index, stretch) = (0, 0)
      return AnyIterator {
        guard index < names.count else { return nil }
        while stretch + 1 < stretches.count, stretches[stretch + 1].first <= index { stretch += 1 }
        defer { index += 1 }
        return item(index, in: stretches[stretch])
      }
    }
  }

  /// The path of the run's record in the output folder.
  public var record: String { RunRecord.path(in: batch.folder) }

  private func item(_ index: Int, in stretch: Stretch) -> Item {
    Item(
      input: stretch.inputs + names[index],
      output: PathText.path(stretch.outputs, AudioFileType.outputName(of: names[index], suffix: batch.suffix))
    )
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
