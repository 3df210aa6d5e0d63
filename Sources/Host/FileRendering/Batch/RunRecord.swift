// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

/// The record of a run: what the files in an output folder were made with, kept there in a hidden file, for runs that
/// go on with them.
///
///     out/.legato-run    legato 0.1.0
///                        echo.json 5e2c81a3f0b94d17
///                        --set mix=0.5
///
/// An output belongs to a run where the record says the same as its batch, and the output is younger than the
/// record: it was renamed into its place when it was whole. Models and points count with their content.
struct RunRecord {
  /// The standing of an output folder.
  enum Standing: Equatable {
    case unknown
    /// A run like this one began then, in nanoseconds since 1970.
    case same(since: Int)
    /// Says what is the first difference: "made with --set mix=0.5".
    case other(String)
  }

  private let text: String

  /// The path of a folder's record.
  static func path(in folder: String) -> String { PathText.path(folder, ".legato-run") }

  /// More than a record may have.
  private static let maximumBytes = 1 << 27

  init(_ ingredients: [Batch.Ingredient]) {
    text = ingredients.map { Self.line($0) + "\n" }.joined()
  }

  /// The standing of a folder, which may not be there.
  ///
  /// - Throws: Where what has the record's name is a link, which leads to somebody else's file, or no file: it would be
  ///   written.
  func standing(in folder: String) throws(AudioFileError) -> Standing {
    let path = Self.path(in: folder)
    let status = try? FileStatus(path: path)
    guard PathText.target(ofLink: path) == nil, status?.isFile != false else {
      throw AudioFileError(path, .cannotHold("is no ordinary file, as a run's record is; remove it"))
    }
    guard let status, let found = try? FileBytes.read(path, most: Self.maximumBytes, waits: false) else {
      return .unknown
    }
    guard !found.elementsEqual(text.utf8) else { return .same(since: status.changed) }
    let theirs = String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init)
    let ours = text.split(separator: "\n").map(String.init)
    let differing = theirs.indices.first { $0 >= ours.count || theirs[$0] != ours[$0] }
    return .other(
      differing.map { "with " + theirs[$0] } ?? "without " + (ours.dropFirst(theirs.count).first ?? ""))
  }

  /// Writes the record to the folder.
  func write(to folder: String, pending: PendingFiles?) throws(AudioFileError) {
    try TextFile.write(
      text, to: Self.path(in: folder), replaceExisting: true, pending: pending,
      // Without it a run could not be resumed after a power cut.
      syncs: true)
  }

  private static func line(_ ingredient: Batch.Ingredient) -> String {
    let shown = ingredient.text.split(whereSeparator: \.isNewline).joined(separator: " ")
    var fingerprint = [UInt8]().fingerprint
    guard let path = ingredient.file, (try? FileStatus(path: path))?.isFile == true,
      (try? FileBytes.forEachPiece(of: path) { fingerprint = $0.fingerprint(after: fingerprint) }) != nil
    else { return shown }
    return shown + " " + String(fingerprint, radix: 16)
  }
}
