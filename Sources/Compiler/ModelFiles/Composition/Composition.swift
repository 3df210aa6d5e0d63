// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// A family of models as one: every model that another uses stands in its place, under the names that it has there.
///
///     outer.json   "cab": "model('cabinet.json', x, level: gain)"
///     →
///     cab.src   = x                 an argument, in the scope of outer.json
///     cab.level = gain
///     cab.bent  = tanh(src * level) cabinet.json's own, in the scope  cab.
///     cab       = cab.bent
///
/// A parameter without an argument becomes a parameter of the whole: `cab.tone`. Legal because a model is nothing but
/// its definitions, and names with dots cannot be written in files.
package struct Composition: Sendable {
  package struct Parameter: Sendable {
    /// The name in the whole model.
    package var name: String
    package var declared: ModelDocument.Parameter
    var file: String?
  }

  /// Settings of some parameters under one name.
  package struct Preset: Sendable {
    /// The name in the whole model.
    package var name: String
    /// The position of the model in a chain that it is of, or whose part it is of.
    package var stage: Int
    /// By the names of the parameters in the whole.
    package var values: [String: Double]
    /// The parameters of its model that it leaves to their defaults.
    package var others: [String]
  }

  struct Definition: Sendable {
    var name: String
    var expression: Expression
    var scope: ModelSource.Scope
    var demand: Demand?
    var isWarm = false
    /// The text that holds the expression; nil where there is none.
    var text: JSONString?
    /// The place of the name.
    var place: Place
    var user: String?
  }

  package struct WeightArray: Sendable {
    /// The name in the whole model.
    package var name: String
    package var loaded: LoadedWeights
    var file: String?
  }

  struct Output: Sendable {
    var name: String
    var value: String
    var place: Place
  }

  package internal(set) var parameters: [Parameter] = []
  package internal(set) var presets: [Preset] = []
  var definitions: [Definition] = []
  package internal(set) var weights: [WeightArray] = []
  /// The names of those that the first model's own file asks for.
  package var ownWeights: Set<String> { Set(weights.filter { $0.file == nil }.map(\.name)) }
  /// The names of weights that cannot be had, and whether there may be others, which has been said.
  var unreadWeights: Set<String> = []
  var hidesWeights = false
  var outputs: [Output] = []
  /// Names that have a definition that cannot be read, or none at all, which has been said.
  var unread: Set<String> = []
  /// Expressions that cannot be read.
  var unreadable: [ModelFamily.Mistake] = []
  /// The place where each member is used first.
  var users: [Int: String] = [:]
  /// The flaws of the uses of models.
  var mistakes: [ModelFamily.Mistake] = []
  /// The prefix of the names of each stage, in order; nothing for the first one.
  package internal(set) var prefixes: [String] = []
  /// The names of parameters of the first stage where a later one has theirs.
  var qualified: [String: String] = [:]

  /// Frames in silence before the first one. Those of all uses add up, for what goes through one model after the other
  /// settles in one after the other.
  var prewarm = 0
  /// The additions to what the models declare.
  package internal(set) var controls: [ModelControl] = []

  /// The name in the whole of a parameter of one of its stages.
  package func name(ofParameter name: String, inStage stage: Int) -> String {
    stage == 0 ? qualified[name] ?? name : prefixes[stage] + name
  }

  /// The name that the first stage has for a parameter that a later one has, too; nil for all others.
  package func qualified(_ name: String) -> String? { qualified.first { $0.value == name }?.key }
}

extension Composition {
  init(_ family: ModelFamily, _ controls: [ModelControl] = []) {
    var composer = Composer(family, controls)
    composer.composeStages()
    composer.composePresets()
    composer.result.mistakes += family.rateMistakes(users: composer.result.users)
    self = composer.result
  }
}
