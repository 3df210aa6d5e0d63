// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import GraphIR

extension Subcommand {
  static let models = Subcommand(
    name: "models", operands: "",
    summary: "lists the models that are found by their names",
    explanation: """
      Where a command takes a MODEL, the name of one of these does as well as the path of a file: process filter in.wav
      out.wav. A name is the file's without .json, or a capture's without .nam; a file of that very name in the current
      folder goes first. Models are looked for in the folders of LEGATO_MODELS (with colons between them), in
      legato/models of $XDG_DATA_HOME (~/.local/share) and of each of $XDG_DATA_DIRS (/usr/local/share and /usr/share),
      and in the folder models that stands beside the program, or in the checkout where it was built. Of one name, the
      first is meant.
      """,
    example: "legato models", options: [.json]
  ) { arguments, console in
    _ = try arguments.operands()
    let (entries, folders) = (NamedModels.installed.entries, NamedModels.installed.folders)
    try console.print(arguments.has(.json) ? json(entries) : console.text(entries, in: folders))
    if entries.isEmpty { console.notice("models: there are none in \(alternatives(folders, "and"))") }
  }
}

extension Console {
  /// A line for each model, under the folder in which it is.
  fileprivate func text(_ entries: [NamedModels.Entry], in folders: [String]) -> String {
    let width = entries.map(\.name.count).max() ?? 0
    return folders.compactMap { folder in
      let rows = entries.filter { $0.folder == folder }.map { entry in
        let name = PathText.printable(entry.name)
        let what = entry.description ?? entry.error.map { "cannot be read: " + $0 } ?? ""
        return "  " + name + String(repeating: " ", count: width - entry.name.count + 2)
          + printable(what, limit: 1000)
      }
      return rows.isEmpty
        ? nil : ([heading(PathText.printable(folder))] + rows).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}
