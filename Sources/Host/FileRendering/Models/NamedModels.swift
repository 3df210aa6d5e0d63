// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The models that are found by their names, in folders that are looked through one after the other.
///
///     filter  ─▶  LEGATO_MODELS=~/amps:/srv/amps       ~/amps/filter.json, /srv/amps/filter.json
///                 $XDG_DATA_HOME/legato/models         ~/.local/share/legato/models/filter.json
///                 $XDG_DATA_DIRS, of each              /usr/local/share/legato/models/filter.json, …
///                 the folder that the program has      models/filter.json of the checkout
///
/// Captures are found so, too: filter.nam, where a folder has no filter.json. A text that has a slash, or ends in .json or
/// .nam, is a path, and no name.
package struct NamedModels: Sendable {
  /// In the order in which they are looked through; not each has to be there.
  package let folders: [String]

  /// - Parameters:
  ///   - variable: the value of a variable of the environment.
  ///   - program: the path of the program, without links; nil where it is not known.
  package init(program: String?, environment variable: (String) -> String?) {
    func list(_ name: String) -> [String] {
      (variable(name) ?? "").split(separator: ":").map(String.init)
    }
    // The specification of these folders passes over relative ones.
    func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }
    let home = variable("HOME").map { PathText.path($0, ".local/share") }
    let own = list("XDG_DATA_HOME").first(where: isAbsolute) ?? home
    let shared = list("XDG_DATA_DIRS")
    let data = [own].compactMap(\.self) + (shared.isEmpty ? ["/usr/local/share", "/usr/share"] : shared)
    let all =
      list("LEGATO_MODELS") + data.filter(isAbsolute).map { PathText.path($0, "legato/models") }
      + [program.flatMap(Self.folder)].compactMap(\.self)
    var known: Set<String> = []
    folders = all.filter { known.insert($0).inserted }
  }

  /// The folder of models that belongs to a program: beside it, or in the checkout where it was built.
  private static func folder(of program: String) -> String? {
    var folder = PathText.folder(of: program)
    while true {
      let models = PathText.path(folder, "models")
      if isFile(PathText.path(models, "legato" + schemaEnding)) { return models }
      let parent = PathText.folder(of: folder)
      guard parent != folder, parent != "." else { return nil }
      folder = parent
    }
  }

  /// The endings of models and captures; of one name in one folder, the first is meant.
  private static let endings = [".json", ".nam"]
  /// The ending of files that say what models look like.
  private static let schemaEnding = ".schema.json"

  private static func isFile(_ path: String) -> Bool { (try? FileStatus(path: path))?.isFile ?? false }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.utf8.contains(UInt8(ascii: "/")) && !endings.contains(where: text.hasSuffix)
  }

  /// The path that somebody means who names a model: that of a file where there is one, or else that of the first model
  /// of this name; what is neither stays as it is.
  package func path(meantBy text: String) -> String {
    guard Self.isName(text) else { return text }
    if let status = try? FileStatus(path: text), !status.isFolder { return text }
    let paths = folders.lazy.flatMap { folder in Self.endings.map { PathText.path(folder, text + $0) } }
    return paths.first { !$0.hasSuffix(Self.schemaEnding) && Self.isFile($0) } ?? text
  }

  /// The reason why a name means nothing, with what may be meant; nil for a path.
  package func refusal(of text: String) -> String? {
    guard Self.isName(text), (try? FileStatus(path: text)) == nil else { return nil }
    let hint = nearestName(to: text, among: files.map(\.name)).map { "did you mean \($0)?" }
    let places = folders.isEmpty ? "" : " in \(alternatives(folders))"
    return "\(text): no such file, and no model is called so\(places); "
      + (hint ?? "legato models lists those that are")
  }

  /// A file that is found by a name.
  private struct File {
    let name: String
    let folder: String
    let ending: String
  }

  /// In the order of the folders, and of the names in each; of one name, the first.
  private var files: [File] {
    var known: Set<String> = []
    return folders.flatMap { folder in
      var files: [File] = []
      try? FolderEntry.each(in: folder) { entry in
        guard entry.kind == .file, let ending = Self.endings.first(where: entry.name.hasSuffix),
          !entry.name.hasSuffix(Self.schemaEnding)
        else { return }
        files.append(File(name: String(entry.name.dropLast(ending.count)), folder: folder, ending: ending))
      }
      return files.sorted { ($0.name, $0.ending) < ($1.name, $1.ending) }.filter {
        known.insert($0.name).inserted
      }
    }
  }

  /// A model as a list shows it.
  package struct Entry: Encodable, Sendable {
    /// The name by which it is found.
    package let name: String
    package let folder, file: String
    /// The name that the model gives itself; nil where it cannot be read.
    package let title: String?
    /// The author's description, or what the model has; nil where it cannot be read.
    package let description: String?
    /// The first thing that is wrong with it; nil where nothing is.
    package let error: String?
  }

  /// All of them, read.
  package var entries: [Entry] {
    files.map { file in
      let path = PathText.path(file.folder, file.name + file.ending)
      func entry(_ model: Model?, _ error: String? = nil) -> Entry {
        Entry(
          name: file.name, folder: file.folder, file: path, title: model?.name,
          description: model.map(Self.description), error: error)
      }
      do throws(ModelError) {
        return entry(try Model(contentsOf: path))
      } catch {
        if let names = try? Model.functions(contentsOf: path), !names.isEmpty {
          let text = "the functions \(alternatives(names, "and"))"
          return Entry(
            name: file.name, folder: file.folder, file: path, title: nil, description: text, error: nil)
        }
        if case .invalid(let problems) = error, let first = problems.first {
          return entry(nil, first.message)
        }
        if case .unreadable(_, let reason) = error { return entry(nil, reason) }
        return entry(nil, error.description)
      }
    }
  }

  private static func description(_ model: Model) -> String {
    guard model.summary.isEmpty else { return model.summary }
    return
      "\(model.name): \(counted(model.inputs.count, "input")), \(counted(model.outputs.count, "output")), "
      + "\(counted(model.parameters.count, "parameter"))"
  }
}
