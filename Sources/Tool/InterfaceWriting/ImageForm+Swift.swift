// SPDX-License-Identifier: Apache-2.0

internal import ImageFiles
internal import Legato

extension ImageForm {
  /// The call that makes it.
  var swift: String {
    let format = ".\(ImageForm.Format.allCases.first { $0 == self.format }.map { "\($0)" } ?? "rgb")"
    let scale =
      switch conversion.normalization {
      case .range(let black, let white): "black: \(black), white: \(white)"
      case .standard(let mean, let deviation): "mean: \(mean), deviation: \(deviation)"
      }
    let rest = ", resize: .\(resize.rawValue)" + (crop.map { ", crop: \($0)" } ?? "")
    return "ImageForm(\(format), \(scale)\(rest))"
  }
}
