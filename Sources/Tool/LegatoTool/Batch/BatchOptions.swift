// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR

extension Option {
  static let outputDir = Option("output-dir", value: "DIR", "renders many files, into this folder")
  static let jobs = Option("jobs", value: "N", "files at a time (default: one for each processor)")
  static let suffix = Option(
    "suffix", value: "TEXT",
    "stands before the outputs' extension, or, such as -dark.flac, is the extension, too")
  static let recursive = Option(
    "recursive", "takes the files in folders, and in their folders; these are made in DIR, too")
  static let resume = Option(
    "resume", "goes on where a run ended: leaves out what is whole and newer than its input")
  static let report = Option(
    "report", value: "FILE",
    "writes what came of it, as JSON: of each file frames, peak, clipped samples, time, errors; of what plays live the "
      + "summary; - prints it")
}

/// What `legato process` is asked for when it renders many files.
struct BatchOptions {
  /// Those that only make sense for many files.
  static let all: [Option] = [.jobs, .suffix, .recursive, .resume]

  let model: String
  let inputs: [String]
  let folder: String
  let jobs: Int
  let suffix: String
  let isRecursive: Bool
  let resumes: Bool
  let replaces: Bool

  /// More threads than that gain nothing anywhere, and each has a file open.
  static let mostJobs = 256

  /// One for each processor.
  static let usualJobs = min(mostJobs, ProcessInfo.processInfo.activeProcessorCount)

  init(_ arguments: Arguments) throws(Failure) {
    guard let folder = arguments.value(of: .outputDir), !folder.isEmpty else {
      throw .usage("--output-dir is empty; name a folder")
    }
    guard let model = arguments.operands.first, !model.isEmpty else {
      throw .usage("MODEL is missing; see --help")
    }
    inputs = Array(arguments.operands.dropFirst())
    guard !inputs.isEmpty else { throw .usage("INPUT is missing; see --help") }
    guard !inputs.contains("") else { throw .usage("INPUT is empty; see --help") }
    guard !inputs.contains("-") else {
      throw .usage("- is no file that could be called the same in \(folder); write MODEL - OUTPUT for a pipe")
    }
    guard !arguments.has(.raw) else {
      throw .usage("--raw says what - is; with --output-dir, there are files only")
    }
    guard !arguments.has(.check) else {
      throw .usage("--check looks at one file; write MODEL INPUT OUTPUT, without --output-dir")
    }
    self.model = model
    self.folder = folder
    jobs = try arguments.integer(.jobs, in: 1...Self.mostJobs) ?? Self.usualJobs
    suffix = arguments.value(of: .suffix) ?? ""
    guard !suffix.utf8.contains(UInt8(ascii: "/")) else {
      throw .usage("--suffix takes a part of a name, such as -crushed, not \(quoted(suffix))")
    }
    guard !AudioFileType.isUnwritten(path: "x" + suffix) else {
      throw .usage(
        "--suffix \(suffix): files of that type are not written; use \(AudioFileType.extensionList)")
    }
    isRecursive = arguments.has(.recursive)
    resumes = arguments.has(.resume)
    replaces = arguments.has(.force)
  }
}
