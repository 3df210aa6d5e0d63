// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Legato

/// What `--bind` says.
///
///     time=10                    how long a named axis is, or a number in place of an input of one integer
///     shape=[2,-1]               numbers along one axis, in place of an input
///     shape=s.npy                an array of a file, in place of an input; s.npz:ENTRY where the file has several
extension Arguments {
  /// The extents among it.
  func bound() throws(Failure) -> [String: Int] {
    var bound: [String: Int] = [:]
    for (name, value) in try bindings() {
      guard let extent = Int(value) else { continue }
      guard (-Limits.extent...Limits.extent).contains(extent) else {
        throw .usage("--bind \(printable(name))=\(value): a whole number up to \(Limits.extent) is needed")
      }
      bound[name] = extent
    }
    return bound
  }

  /// The arrays among it.
  func boundArrays() throws -> [String: Tensor] {
    var arrays: [String: Tensor] = [:]
    for (name, value) in try bindings() where Int(value) == nil {
      arrays[name] = try array(value) { .usage("--bind \(printable(name))=\(printable(value)): \($0)") }
    }
    return arrays
  }

  private func bindings() throws(Failure) -> [(name: String, value: String)] {
    var bindings: [(name: String, value: String)] = []
    for text in values(of: .bind) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
        text.index(after: equals) != text.endIndex
      else {
        throw .usage("--bind takes NAME=N, such as time=10, NAME=[2,3] or NAME=FILE, not \(quoted(text))")
      }
      let name = String(text[..<equals])
      guard !bindings.contains(where: { $0.name == name }) else {
        throw .usage("--bind \(printable(text)): \(quoted(name)) is bound twice")
      }
      bindings.append((name, String(text[text.index(after: equals)...])))
    }
    return bindings
  }

  private func array(_ text: String, _ refusal: (String) -> Failure) throws -> Tensor {
    guard text.hasPrefix("[") else {
      if ["npy", "npz", "safetensors"].contains(where: text.contains) {
        let (archive, entry) = try TensorArchive.opened(text)
        return try archive.tensor(entry)
      }
      throw refusal("a whole number, a list such as [2,-1] or the file of an array is needed")
    }
    guard let numbers = try? JSONDecoder().decode([Float].self, from: Data(text.utf8)) else {
      throw refusal("numbers between commas are needed, such as [2,-1]; what has more axes is in a file")
    }
    return Tensor(numbers)
  }
}
