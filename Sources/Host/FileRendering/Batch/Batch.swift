// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// Files that are rendered into a folder, several at a time.
///
///     var batch = Batch(["samples"], into: "echoes")
///     batch.isRecursive = true
///     let plan = try BatchPlan(batch, for: renderer)
///     let result = try BatchRun(plan).run { done, count in !isCancelled }
public struct Batch: Sendable {
  /// Files, and folders where `isRecursive` is set.
  public var inputs: [String]
  /// The folder of the outputs, each under its input's name. It is made where it is missing.
  public var folder: String
  /// The most files at a time, from 1 to 256.
  public var jobs = Batch.usualJobs
  /// The text before the outputs' extension or, such as "-dark.flac", is the extension, too.
  public var suffix = ""
  /// Whether the files in folders are taken, and those in their folders.
  public var isRecursive = false
  /// Whether to resume a run over the same inputs: outputs that are whole and younger than their inputs are skipped,
  /// and what a killed run left is removed. Names alone say which input an output was made of.
  public var resumes = false
  /// The ingredients of outputs, a line each. The output folder gets a hidden file with these lines, and a run goes on
  /// only where they are the same. Nil for the models, the settings, and the options that change what is written.
  public var ingredients: [Ingredient]?

  /// One thing that outputs are made with.
  public struct Ingredient: Hashable, Sendable {
    /// The text that people read.
    public var text: String
    /// A file whose content counts, too; nil for none.
    public var file: String?

    public init(_ text: String, file: String? = nil) { (self.text, self.file) = (text, file) }
  }

  public init(_ inputs: [String], into folder: String) { (self.inputs, self.folder) = (inputs, folder) }

  /// More threads than that gain nothing anywhere, and each has a file open.
  public static let mostJobs = 256

  /// One for each processor.
  public static let usualJobs = min(mostJobs, ProcessInfo.processInfo.activeProcessorCount)
}

extension FileRenderer {
  /// The models, as ingredients by their names only: the same folder may be meant from elsewhere.
  package var models: [Batch.Ingredient] {
    model.stages.prefix(1).map { Batch.Ingredient(PathText.name(of: $0.file), file: $0.file) }
      + model.usedFiles.map { Batch.Ingredient(PathText.name(of: $0), file: $0) }
  }

  /// The ingredients of outputs where a batch does not name them.
  var ingredients: [Batch.Ingredient] {
    let chain = model.stages.dropFirst().map {
      Batch.Ingredient("--then " + PathText.name(of: $0.file), file: $0.file)
    }
    let settings = settings.map { Batch.Ingredient("\($0.name)=\($0.value)") }
    let points = automation.map {
      Batch.Ingredient("automation " + PathText.name(of: $0.path), file: $0.path)
    }
    let words: [(String, Any?)] = [
      ("inputs", options.inputs), ("outputs", options.outputs), ("tail", options.tail),
      ("quality", options.quality),
      ("samples", options.sampleFormat), ("dither", options.dither),
    ]
    return models + chain + settings + [points].compactMap(\.self)
      + words.map { name, value in
        Batch.Ingredient("\(name) " + (value.map { "\($0)" } ?? "as the input has"))
      }
  }
}
