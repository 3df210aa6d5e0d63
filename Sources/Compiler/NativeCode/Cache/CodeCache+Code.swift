// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning

extension CodeCache {
  /// The code of a text, in memory: kept before or, where there is none, made and kept.
  ///
  /// - Throws: what `LoadedCode.compile` throws.
  package func code(
    ofText ir: String, entry: String, for target: Target
  ) throws(NativeCodeError) -> LoadedCode {
    try target.requireRunsHere(self)
    let key = Self.key(
      "code", CodeGenerator.settings.text, target.triple, target.cpu, target.features, ir)
    if let bytes = contents(of: key), let code = try? LoadedCode(placing: bytes, entry: entry) { return code }
    let bytes = try ObjectFile.emit(ir: ir, target: target).bytes
    keep(bytes, under: key)
    return try LoadedCode(placing: bytes, entry: entry)
  }
}
