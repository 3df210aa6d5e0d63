// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import Glibc

extension NamedModels {
  /// Those that this program finds.
  static let installed = NamedModels(program: PathText.resolved("/proc/self/exe")) { name in
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}

extension Arguments {
  /// The same with the files of models in place of their names.
  ///
  /// - Parameter isFirst: whether the first operand is a model.
  func findingModels(isFirst: Bool) -> Arguments {
    var operands = operands
    if isFirst, let model = operands.first {
      operands[0] = NamedModels.installed.path(meantBy: model)
    }
    let given = words(without: []).map { option, value in
      let isModel = [Option.then, .model, .augment].contains(option)
      return (option, isModel ? value.map(NamedModels.installed.path) : value)
    }
    return with(operands: operands, given: given)
  }
}
