// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode

/// Machine code that was made before: of the same text for the same machine LLVM makes the same.
///
///     native            text A ──▶ LLVM ──▶ object
///     without a pass    text A ──────────▶ the same object       where the pass finds nothing to do
final class ObjectCache {
  private struct Source: Hashable {
    let text: String
    let target: Target
  }

  private var objects: [Source: ObjectFile] = [:]

  func object(of compiled: CompiledGraph) throws -> ObjectFile {
    let source = Source(text: compiled.llvmText, target: compiled.plan.target)
    if let object = objects[source] { return object }
    let object = try compiled.object()
    objects[source] = object
    return object
  }
}
