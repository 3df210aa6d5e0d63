// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
public import Legato

/// Sounds or pictures in folders that are called as their classes.
///
///     clips/dog/1.wav  clips/dog/2.flac  clips/rain/1.wav     ─▶     { "src": window, "target": 0 }, …
///
/// Of a sound each whole window is an example; one that is shorter has silence behind it. Pictures are stretched to the
/// input. Files and folders come in the order of their names; those whose names begin with a dot are passed over, and in the
/// folder of a class nothing else is but files. Windows of a file are held back together.
public struct LabelledFiles: Dataset {
  /// The names of the classes; a target is the position of one.
  public let labels: [String]
  public let count: Int
  /// The paths of all files.
  package let paths: [String]
  /// Files that are shorter than a window.
  package let shortFiles: Int
  /// The classes that the model knows, and that no folder is called as.
  package let missing: [String]
  private let names: (input: String, target: String)
  private let examples: Examples
  private let classes: [Float]

  private enum Examples: Sendable {
    /// Channels of frames for each file, and for each example its file and where its window begins.
    case sounds([[[Float]]], windows: [(file: Int, begin: Int)], warmup: Int, frames: Int)
    case pictures([ImageFile], shape: [Int], ImageForm)
  }

  /// Sounds.
  ///
  /// - Parameters:
  ///   - folder: the path of that with a folder for each class.
  ///   - channels: those of the input.
  ///   - frames: of a window.
  ///   - warmup: frames before a window that only bring the state there; silence before the first one.
  ///   - sampleRate: the one that all files have to have.
  ///   - labels: the classes that the model knows; nil for the folders, by their names.
  ///   - names: those of the model's input and of the target.
  /// - Throws: `TrainingError.data` for a folder that is no class, or without files, and for a file that is damaged, has
  ///   other channels or another rate.
  public init(
    sounds folder: String, channels: Int, frames: Int, warmup: Int = 0, sampleRate: Int,
    labels: [String]? = nil, names: (input: String, target: String)
  ) throws(TrainingError) {
    guard frames > 0, warmup >= 0 else {
      throw .data("a window has a frame or more, and a warm-up none or more, not \(frames) and \(warmup)")
    }
    let found = try Self.files(in: folder, labels)
    var (sounds, windows, classes) = ([[[Float]]](), [(file: Int, begin: Int)](), [Float]())
    for (path, label) in found.files {
      let sound = try SoundReading.channels(of: path, sampleRate: sampleRate)
      guard sound.count == channels else {
        throw .data("\(path) has \(sound.count) channels, and the input \(channels)")
      }
      for window in 0..<max(1, sound[0].count / frames) {
        windows.append((sounds.count, window * frames))
        classes.append(Float(label))
      }
      sounds.append(sound)
    }
    shortFiles = sounds.count { $0[0].count < frames }
    (paths, missing) = (found.files.map(\.path), found.missing)
    (self.labels, self.names, self.classes, count) = (found.labels, names, classes, windows.count)
    examples = .sounds(sounds, windows: windows, warmup: warmup, frames: frames)
  }

  /// Pictures, in PNG or JPEG files.
  ///
  /// - Parameters:
  ///   - folder: the path of that with a folder for each class.
  ///   - shape: that of the input.
  ///   - form: how a picture becomes its numbers.
  ///   - labels: the classes that the model knows; nil for the folders, by their names.
  ///   - names: those of the model's input and of the target.
  /// - Throws: `TrainingError.data` for a folder that is no class, or without files, and for a file that is no picture.
  public init(
    pictures folder: String, shape: [Int], as form: ImageForm, labels: [String]? = nil,
    names: (input: String, target: String)
  ) throws(TrainingError) {
    let found = try Self.files(in: folder, labels)
    var pictures: [ImageFile] = []
    for (path, _) in found.files {
      do throws(TensorError) { pictures.append(try ImageFile(contentsOf: path)) } catch {
        throw .data(error.description)
      }
    }
    (self.labels, self.names, count) = (found.labels, names, pictures.count)
    (paths, shortFiles, missing) = (found.files.map(\.path), 0, found.missing)
    classes = found.files.map { Float($0.label) }
    examples = .pictures(pictures, shape: shape, form)
  }

  public func item(_ index: Int) throws -> [String: [Float]] {
    let numbers: [Float]
    switch examples {
    case .sounds(let sounds, let windows, let warmup, let frames):
      let (file, begin) = windows[index]
      numbers = SoundReading.frames(begin - warmup..<begin + frames, of: sounds[file])
    case .pictures(let files, let shape, let form):
      numbers = try files[index].tensor(shape: shape, as: form).values
    }
    return [names.input: numbers, names.target: [classes[index]]]
  }

  /// The position of an example's class.
  package func label(of index: Int) -> Int { Int(classes[index]) }

  public func whole(of index: Int) -> Int {
    switch examples {
    case .sounds(_, let windows, _, _): windows[index].file
    case .pictures: index
    }
  }

  /// The rate of the first sound of the folder, in hertz, and its channels.
  ///
  /// - Throws: `TrainingError.data` where there is none.
  package static func sound(in folder: String) throws(TrainingError) -> (sampleRate: Int, channels: Int) {
    let folders = try classFolders(in: folder)
    for name in folders {
      guard let first = try Self.files(ofClass: "\(folder)/\(name)").first else { continue }
      do throws(AudioFileError) {
        let description = try AudioFileReader(path: "\(folder)/\(name)/\(first)").description
        return (description.sampleRate, description.channels)
      } catch {
        throw .data(error.description)
      }
    }
    throw .data("\(folder): has no files in its folders")
  }

  /// All files with their classes.
  private static func files(
    in folder: String, _ labels: [String]?
  ) throws(TrainingError) -> (files: [(path: String, label: Int)], labels: [String], missing: [String]) {
    let folders = try classFolders(in: folder)
    let labels = labels ?? folders
    var files: [(path: String, label: Int)] = []
    for name in folders {
      let path = "\(folder)/\(name)"
      guard let label = labels.firstIndex(of: name) else {
        throw .data("\(path): \(quoted(name)) is no class of the model\(hint(for: name, among: labels))")
      }
      let own = try Self.files(ofClass: path)
      guard !own.isEmpty else { throw .data("\(path): has no files") }
      files += own.map { ("\(path)/\($0)", label) }
    }
    return (files, labels, labels.filter { !folders.contains($0) })
  }

  /// The names of the files of a class; links that lead nowhere and folders are no files, and not passed over.
  private static func files(ofClass path: String) throws(TrainingError) -> [String] {
    if let other = try contents(of: path, .folder, .linkToFolder, .other).first {
      throw .data("\(path)/\(other): is no file, or a link that leads nowhere")
    }
    return try contents(of: path, .file)
  }

  private static func classFolders(in folder: String) throws(TrainingError) -> [String] {
    if let other = try contents(of: folder, .other).first {
      throw .data("\(folder)/\(other): is no folder, or a link that leads nowhere")
    }
    let folders = try contents(of: folder, .folder, .linkToFolder)
    guard !folders.isEmpty else {
      throw .data("\(folder): has no folders; each class is one, with its files")
    }
    return folders
  }

  /// The names of a folder's entries of some kinds, sorted; those that begin with a dot are passed over.
  private static func contents(
    of folder: String, _ kinds: FolderEntry.Kind...
  ) throws(TrainingError) -> [String] {
    var names: [String] = []
    do throws(AudioFileError) {
      try FolderEntry.each(in: folder) { entry in
        if kinds.contains(entry.kind), !entry.name.hasPrefix(".") { names.append(entry.name) }
      }
    } catch {
      throw .data(error.description)
    }
    return names.sorted()
  }

  package static func isFolder(_ path: String) -> Bool { (try? FileStatus(path: path))?.isFolder ?? false }
}
