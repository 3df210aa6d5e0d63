// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import CommandLineInterface
internal import GraphIR
internal import LearningPictures
internal import LegatoTraining

/// `legato plot REPORT…`: how learning went, and what a classifier takes for what.
struct PlotOfLearning {
  let chart: Chart
  let report: LearningNumbers

  /// The most bytes of a report.
  private static let mostBytes = 1 << 26

  /// Nil where what is named is no report, but sound.
  init?(_ arguments: Arguments, _ destination: Destination) throws {
    let paths = arguments.operands
    let texts = try paths.map { try Self.text($0) }
    guard let first = texts.firstIndex(where: { $0 != nil }) else { return nil }
    if let other = texts.firstIndex(of: nil) {
      throw Failure.usage(
        "\(quoted(paths[first])) is a report, and \(quoted(paths[other])) is none; draw them apart")
    }
    if arguments.has(.raw) || arguments.has(.labelTrack) {
      throw Failure.usage(
        "--\(arguments.has(.raw) ? "raw" : "label-track") is of use with sounds only, not with reports")
    }
    try destination.check(against: paths)
    var runs: [LearningCurves.Run] = []
    var judged: [(name: String, report: EvaluationReport)] = []
    for ((path, name), text) in zip(zip(paths, Self.names(of: paths)), texts) {
      do throws(LearningReport.Refusal) {
        switch try LearningReport(text ?? []) {
        case .training(let report): runs.append(.init(name, report))
        case .evaluation(let report): judged.append((name, report))
        }
      } catch { throw Failure.faults(["\(path): \(error.message)"]) }
    }
    guard runs.isEmpty || judged.isEmpty else {
      throw Failure.usage("some reports are of train, and others of evaluate; draw them apart")
    }
    guard judged.count <= 1 else {
      throw Failure.usage(
        "there are \(judged.count) reports of evaluate; what was taken for what is drawn of one")
    }
    guard runs.count <= LearningCurves.mostRuns else {
      throw Failure.usage(
        "there are \(runs.count) runs, and \(LearningCurves.mostRuns) can be told apart; draw fewer")
    }
    if let (name, report) = judged.first {
      guard let confusion = report.confusion else {
        throw Failure.faults(["\(paths[0]): is of no classifier: there is no table of classes to draw"])
      }
      let (count, most) = (confusion.labels.count, ConfusionPicture.mostClasses)
      guard count <= most else {
        throw Failure.faults(["\(paths[0]): has \(count) classes; a table of \(most) can be read"])
      }
      chart = ConfusionPicture(name, confusion).chart
    } else {
      var curves = LearningCurves(runs.count == 1 ? runs[0].name : "Learning", runs).chart
      if runs.count == 1, let confusion = runs[0].report.confusion {
        if confusion.labels.count <= ConfusionPicture.mostClasses {
          curves.rows += ConfusionPicture("", confusion).rows
        } else {
          curves.notes.append(
            "What was taken for what is left out: there are \(confusion.labels.count) classes.")
        }
      }
      chart = curves
    }
    report = LearningNumbers(runs, judged.first?.report)
  }

  /// The names of files, with as many of their folders as tell them apart: a/run.json and b/run.json.
  private static func names(of paths: [String]) -> [String] {
    let parts = paths.map { $0.split(separator: "/") }
    let most = parts.map(\.count).max() ?? 1
    let counts = 1...max(1, most)
    let count = counts.first { count in Set(parts.map { $0.suffix(count) }).count == Set(paths).count } ?? 1
    return parts.map { $0.suffix(count).joined(separator: "/") }
  }

  /// The text of a file that is JSON, or called so, but no model; nil where it is something else, or is not there.
  private static func text(_ path: String) throws -> [UInt8]? {
    guard path != "-", let status = try? FileStatus(path: path), status.isFile else { return nil }
    let start = try FileBytes.read(path, most: 4096)
    let first = start.first { !UnicodeScalar($0).properties.isWhitespace }
    guard first == UInt8(ascii: "{") || AudioFileType.ending(of: path)?.lowercased() == "json" else {
      return nil
    }
    guard status.size <= mostBytes else {
      throw Failure.faults(["\(path): has more than \(mostBytes) bytes, which are the most of a report"])
    }
    let text = try FileBytes.read(path, most: mostBytes + 1)
    return String(decoding: start, as: UTF8.self).contains(/"legato"\s*:/) ? nil : text
  }
}
