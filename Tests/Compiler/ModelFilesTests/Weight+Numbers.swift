// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles

extension ModelDocument.Weight {
  /// The numbers that stand in the model's text; nil where they are in a file.
  var written: (shape: [Int], numbers: Numbers)? {
    switch source {
    case .numbers(let shape, let numbers): (shape, numbers)
    case .tensor, .sound: nil
    }
  }
}
