// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

/// The places of what messages say of a model as a whole.
extension Model {
  /// The place of the first input, "m.json:3:5", or the file of a model without any: there stand its channels, and
  /// whether it has frames.
  package var placeOfInputs: String {
    let file = printable(document.file)
    return document.inputs.first.map { "\(file):\($0.place.line):\($0.place.column)" } ?? file
  }

  /// The place of the rate that the model states; nil where it states none.
  package var placeOfSampleRate: String? {
    composed.family.rateStatement.map { "\(printable($0.file)):\($0.place.line):\($0.place.column)" }
  }
}
