// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import TensorFiles

/// Files of models without a file system: paths lead to texts, whatever "." and empty parts they have.
final class UsedFiles {
  let files: [String: String]
  let tensors: [String: [UInt8]]
  /// The files that were looked up, and those that were read, in order.
  private(set) var found: [String] = []
  private(set) var read: [String] = []
  /// The files of weights that were opened, in order.
  private(set) var opened: [String] = []
  private(set) var bytes = 0

  init(_ files: [String: String], tensors: [String: [UInt8]] = [:]) {
    (self.files, self.tensors) = (files, tensors)
  }

  var reader: ModelFile.Reader {
    ModelFile.Reader(
      find: { path, user in
        let folder = user.lastIndex(of: "/").map { String(user[...$0]) } ?? ""
        let file = (folder + path).split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        self.found.append(path)
        guard self.files[file] != nil || self.tensors[file] != nil else {
          return .failure(.init("is not there"))
        }
        return .success(ModelFile(folder + path, identity: Array(file.utf8)))
      },
      read: { file, most in
        let name = String(decoding: file.identity, as: UTF8.self)
        let bytes = Array((self.files[name] ?? "").utf8.prefix(most))
        self.read.append(name)
        self.bytes += bytes.count
        return .success(FileReader(bytes))
      },
      open: { file in
        let name = String(decoding: file.identity, as: UTF8.self)
        self.opened.append(name)
        return .success(FileReader(self.tensors[name] ?? []))
      })
  }

  func composed(
    _ text: String, file: String = "m.json", mostWeights: Int = Limits.weights
  ) throws -> ComposedModel {
    let document = try ModelDocument.decode(Array(text.utf8), file: file)
    return ComposedModel(
      ModelFamily(document, identity: Array(file.utf8), reader: reader, mostWeights: mostWeights))
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
