// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Writes typed Swift for the models of a target before it is built: one file for each.
///
///     resources: [.copy("Models")]        Models/activity.json          ▶  struct Activity, which finds its resource
///                                         Models/net.onnx, net.options  ▶  struct Net, made with these options
///
/// A model is a file that ends in .onnx or .nam, or one in .json that says `"legato"`. In a text beside it, which ends
/// in .options, stand options of `legato interface` with spaces between them, such as `--bind batch=1`.
@main
struct LegatoModels: BuildToolPlugin {
  /// A model, and where it stands among the resources.
  private struct Model {
    let file: URL
    let resource: String

    /// The name of its type's file.
    var swift: String {
      let stem = file.deletingPathExtension().lastPathComponent
      return stem.prefix(1).uppercased() + stem.dropFirst() + ".swift"
    }
    /// The name of its type, as `legato interface` makes it of that: two that are equal are one type.
    var type: String {
      let words = file.deletingPathExtension().lastPathComponent.split { !$0.isLetter && !$0.isNumber }
      return words.enumerated().map { place, word in
        let rest =
          place == 0 && word == word.uppercased() ? word.dropFirst().lowercased() : String(word.dropFirst())
        return word.prefix(1).uppercased() + rest
      }.joined()
    }
    var options: URL { file.deletingPathExtension().appendingPathExtension("options") }
  }

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let tool = try context.tool(named: "LegatoTool").url
    var known: [String: String] = [:]
    var commands: [Command] = []
    for file in target.sourceFiles where file.type == .unknown && isModel(file.url) {
      let name = file.url.lastPathComponent
      Diagnostics.error(
        "\(target.name): \(name) is no resource; resources: [.process(\"\(name)\")] in Package.swift makes it one"
      )
    }
    for model in models(of: target).sorted(by: { $0.resource < $1.resource }) {
      guard known[model.type] == nil else {
        Diagnostics.error(
          "\(target.name): \(known[model.type]!) and \(model.resource) both make a type \(model.type); rename one"
        )
        continue
      }
      known[model.type] = model.resource
      let output = context.pluginWorkDirectoryURL.appending(path: model.swift)
      let folder = model.file.deletingLastPathComponent()
      // The files that a model uses stand beside it: weights, labels, other models.
      let beside = try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.isRegularFileKey]
      )
      .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
      commands.append(
        .buildCommand(
          displayName: "Interface of \(model.resource)", executable: tool,
          arguments: [
            "interface", model.file.path, "-o", output.path, "--resource", model.resource, "--force",
            "--quiet",
          ]
            + (try options(of: model)),
          inputFiles: beside.sorted { $0.path < $1.path }, outputFiles: [output]))
    }
    if commands.isEmpty {
      Diagnostics.warning(
        "\(target.name): there is no model among its resources; resources: [.copy(\"Models\")] names some")
    }
    return commands
  }

  /// The models among the resources; those of a folder that is copied stand below its name.
  private func models(of target: any SourceModuleTarget) -> [Model] {
    target.sourceFiles.filter { $0.type == .resource }.flatMap { file -> [Model] in
      let name = file.url.lastPathComponent
      guard (try? file.url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true else {
        return isModel(file.url) ? [Model(file: file.url, resource: name)] : []
      }
      let below = FileManager.default.enumerator(atPath: file.url.path)?.compactMap { $0 as? String } ?? []
      return below.map { Model(file: file.url.appending(path: $0), resource: "\(name)/\($0)") }
        .filter { isModel($0.file) }
    }
  }

  private func isModel(_ file: URL) -> Bool {
    switch file.pathExtension {
    case "onnx", "nam": return true
    case "json":
      // Model files may have comments, which other readers of JSON refuse.
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return text.contains(/"legato"\s*:/)
    case _: return false
    }
  }

  /// The options beside a model; files of labels are looked for there, too.
  private func options(of model: Model) throws -> [String] {
    guard FileManager.default.fileExists(atPath: model.options.path) else { return [] }
    var words = try String(contentsOf: model.options, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .map(String.init)
    for place in words.indices.dropFirst() where words[place - 1] == "--labels" {
      let parts = words[place].split(separator: "=", maxSplits: 1).map(String.init)
      let path = model.file.deletingLastPathComponent().appending(path: parts[parts.count - 1]).path
      words[place] = (parts.dropLast() + [path]).joined(separator: "=")
    }
    return words
  }
}
