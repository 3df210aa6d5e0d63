// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import GraphIR
internal import Legato
internal import StepRunning

/// The axes and inputs that `--bind` gives numbers.
///
///     time=10                    how long a named axis is, or a number in place of an input of one number
///     value=1.5, flag=true       another number in place of one
///     shape=[2,-1]               numbers along one axis, in place of an input
///     shape=s.npy                an array of a file, in place of an input; s.npz:ENTRY where the file calls it otherwise
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
      arrays[name] = try array(value, for: name) {
        .usage("--bind \(printable(name))=\(printable(value)): \($0)")
      }
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

  private func array(
    _ text: String, for name: String, _ refusal: (String) -> Failure
  ) throws -> Tensor {
    if let truth = Bool(text) { return Tensor(truth ? 1 : 0) }
    if let number = Float(text) { return Tensor(number) }
    guard text.hasPrefix("["), (try? FileStatus(path: text)) == nil else {
      let (archive, entry) = try TensorArchive.opened(text)
      return try archive.tensor(entry ?? archive.names.first { $0 == name })
    }
    guard let numbers = try? JSONDecoder().decode([Float].self, from: Data(text.utf8)) else {
      throw refusal("numbers between commas are needed, such as [2,-1]; what has more axes is in a file")
    }
    return Tensor(numbers)
  }
}
