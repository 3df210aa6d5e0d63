// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

/// A note or a warning of the compiler on a model that it could compile.
public struct CompilationNote: Hashable, Sendable, Encodable, CustomStringConvertible {
  public enum Severity: String, Hashable, Sendable, Encodable {
    /// Good to know for whoever makes the model faster.
    case note
    /// Hardly what the author meant.
    case warning
  }

  public let severity: Severity
  /// The optimisation that noticed it; nil for what is seen in the model as it was written.
  public let pass: String?
  /// The file as it was named, or the model's name where there is no file.
  public let file: String
  /// The place of the value or parameter that it is about, counted from 1; nil where that is not known.
  public let line, column: Int?
  /// One sentence, with the name of the value or the parameter.
  public let message: String

  /// One line that begins with the place.
  public var description: String {
    let place = line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
    return "\(file)\(place): \(severity.rawValue): \(message)"
  }

  init(_ note: PassNote, pass: String?, file: String) {
    severity =
      switch note.severity {
      case .note: .note
      case .warning: .warning
      }
    self.pass = pass
    self.file = note.place?.file ?? file
    line = note.place?.line
    column = note.place?.column
    message = (note.subject.map { quoted($0) + ": " } ?? "") + note.message
  }

  /// A note that a parameter of a graph changes nothing.
  init(idleParameter parameter: Int, of graph: Graph, file: String) {
    let place = graph.origins.parameters[parameter]
    severity = .warning
    pass = nil
    self.file = place?.file ?? file
    line = place?.line
    column = place?.column
    message = "\(quoted(graph.parameters[parameter].name)): no output depends on this parameter"
  }
}
