// SPDX-License-Identifier: Apache-2.0

internal import TensorFiles

/// An ONNX file, decoded and not believed.
///
///     net.onnx ─▶ ONNXModel ─▶ ONNXTranslation
///
/// The form holds: each field is what the format says it is. Whether names, shapes and ops mean anything, the translation
/// finds out. Numbers of tensors stay where they are in the file until they are asked for.
struct ONNXModel: Sendable {
  /// The whole file.
  let file: FileReader
  var version = 0
  var producer = ""
  /// What the file says of itself.
  var description = ""
  /// The version of each set of ops, by its domain; the standard ones have the domain "".
  var opsets: [String: Int] = [:]
  /// What programs noted in it, by names.
  var properties: [String: String] = [:]
  var graph = ONNXGraph()
  var functions: [ONNXFunction.Name: ONNXFunction] = [:]

  /// Whether `legato export` wrote it: several nodes may be one op then, and a loop along an axis a cycle.
  var isOurs: Bool { producer == "Legato" }
}

/// Nodes, each behind those whose values it uses.
struct ONNXGraph: Sendable {
  var name = ""
  var nodes: [ONNXNode] = []
  var initializers: [ONNXTensor] = []
  var inputs: [ONNXPort] = []
  /// Numbers that whoever uses the file puts in place of inputs.
  var constants: [String: ONNXConstant] = [:]
  /// Inputs of one float with a value in the file, which a user turns.
  var parameters: [ONNXPort] = []
  var outputs: [ONNXPort] = []
  /// Whether there are tensors of which only numbers other than 0 are stored.
  var hasSparseInitializers = false
}

/// One op of a graph.
struct ONNXNode: Sendable {
  var name = ""
  var op = ""
  var domain = ""
  /// Chooses among functions of one name.
  var overload = ""
  /// Names of values; an empty one is left out.
  var inputs: [String] = []
  var outputs: [String] = []
  var attributes: [String: ONNXAttribute] = [:]
}

/// A function that the file itself defines, whose nodes stand in for it.
struct ONNXFunction: Sendable {
  struct Name: Hashable, Sendable {
    let domain: String
    let name: String
    let overload: String
  }

  var name = ""
  var domain = ""
  var overload = ""
  var inputs: [String] = []
  var outputs: [String] = []
  /// The values of attributes that are not given.
  var defaults: [String: ONNXAttribute] = [:]
  var nodes: [ONNXNode] = []
  var opsets: [String: Int] = [:]
}

/// The value of an attribute of a node.
enum ONNXAttribute: Sendable {
  case float(Float)
  case integer(Int64)
  case text(String)
  case floats([Float])
  case integers([Int64])
  case texts([String])
  case tensor(ONNXTensor)
  case graph(ONNXGraph)
  /// The attribute of that name of the function in which the node stands.
  case reference(String)
  /// A kind that no op of ours has.
  case unknown(String)
}

/// A value that goes into a graph or comes out of it.
struct ONNXPort: Sendable {
  enum Axis: Hashable, Sendable {
    case number(Int64)
    case symbol(String)
    case unknown
  }

  var name = ""
  /// Nil for what is no tensor, such as a sequence.
  var element: ONNXElement?
  /// Nil where nothing is said of it.
  var shape: [Axis]?
}
