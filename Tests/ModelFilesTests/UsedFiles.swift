// SPDX-License-Identifier: Apache-2.0

import ModelFiles

/// Files of models without a file system: paths lead to texts.
struct UsedFiles {
  let files: [String: String]

  init(_ files: [String: String]) { self.files = files }

  func read(_ path: String, _ user: String) -> Result<ModelFile, ModelFile.Refusal> {
    let folder = user.lastIndex(of: "/").map { String(user[...$0]) } ?? ""
    guard let text = files[folder + path] else { return .failure(.init("is not there")) }
    return .success(ModelFile(bytes: Array(text.utf8), file: folder + path, identity: folder + path))
  }

  func composed(_ text: String, file: String = "m.json") throws -> ComposedModel {
    let document = try ModelDocument.decode(Array(text.utf8), file: file)
    return ComposedModel(ModelFamily(document, identity: file, reader: read))
  }

  /// A model with the input `src`; apostrophes and backquotes stand for quotation marks and those within them.
  static func model(
    _ definitions: String, outputs: String = "dst", shape: String = "[`channels`, `frames`]",
    parameters: String = ""
  ) -> String {
    let graph = definitions.map { $0 == "'" ? "\"" : $0 == "`" ? "'" : $0 }
    return """
      { "legato": 1, "name": "Test", "inputs": { "src": { "shape": \(shape.replacing("`", with: "\"")) } },
        "parameters": { \(parameters) },
        "graph": { \(String(graph)) },
        "outputs": [\(outputs.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ", "))] }
      """
  }
}
