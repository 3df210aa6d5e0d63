// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// Models that belong together, and the one that they make.
package struct ComposedModel: Sendable {
  package let family: ModelFamily
  package let composition: Composition

  package init(_ family: ModelFamily, controls: [ModelControl] = []) {
    self.family = family
    composition = Composition(family, controls)
  }

  /// The name of the model; of several, of each that follows another.
  package var name: String { family.documents.map(\.name).joined(separator: " + ") }

  /// Says what is wrong with how the models go together; and with whatever else can be looked at before symbolic
  /// extents are bound, so that all of it is said at once.
  package func checkUses() throws(Diagnostics) {
    guard !composition.mistakes.isEmpty else { return }
    var importer = Importer(
      self, without: UnreadParts(), besides: DiagnosticCollection(file: family.document.file),
      readsInputs: true)
    _ = importer.graph()
    throw importer.diagnostics.sorted
  }
}
