// SPDX-License-Identifier: Apache-2.0

/// The values that nodes of a graph can name: its own, and those of the graph in which it stands.
final class ONNXScope {
  enum Entry {
    case value(ONNXValue)
    /// An initializer that nobody has asked for yet.
    case tensor(ONNXTensor)
    /// A value that could not be made, which has been said.
    case failed
  }

  private let parent: ONNXScope?
  private var entries: [String: Entry] = [:]
  /// A node with the values that went into it.
  struct Maker {
    let node: ONNXNode
    let operands: [ONNXValue?]
  }
  /// The nodes that made values, by the names of their outputs, unless they are functions of the file.
  private var makers: [String: Maker] = [:]
  /// The version of each set of ops, by its domain.
  let opsets: [String: Int]
  /// The attributes of the function that the graph is the inside of.
  let arguments: [String: ONNXAttribute]
  /// The functions that are being put in place, outermost first.
  let functions: [ONNXFunction.Name]
  /// Graphs within graphs.
  let depth: Int

  static let mostLevels = 16

  init(opsets: [String: Int]) {
    (parent, self.opsets, arguments, functions, depth) = (nil, opsets, [:], [], 0)
  }

  /// A graph within a graph.
  init(within parent: ONNXScope) {
    (self.parent, opsets, arguments) = (parent, parent.opsets, parent.arguments)
    (functions, depth) = (parent.functions, parent.depth + 1)
  }

  /// The inside of a function, which sees nothing of the graph that it is used in.
  init(
    function: ONNXFunction.Name, _ opsets: [String: Int], _ arguments: [String: ONNXAttribute],
    usedIn user: ONNXScope
  ) {
    (parent, self.opsets, self.arguments) = (nil, opsets, arguments)
    (functions, depth) = (user.functions + [function], user.depth + 1)
  }

  subscript(name: String) -> Entry? {
    get {
      var scope: ONNXScope? = self
      while let one = scope {
        if let entry = one.entries[name] { return entry }
        scope = one.parent
      }
      return nil
    }
    set { entries[name] = newValue }
  }

  /// The node of the graph itself whose output a name is; nil for what is given, and for what was not translated yet.
  func maker(of name: String) -> Maker? { makers[name] }

  /// The same, also of the graphs in which the graph stands.
  func makerAround(of name: String) -> ONNXNode? {
    var scope: ONNXScope? = self
    while let one = scope {
      if let maker = one.makers[name] { return maker.node }
      scope = one.parent
    }
    return nil
  }

  func note(_ node: ONNXNode, _ operands: [ONNXValue?]) {
    for name in node.outputs where !name.isEmpty {
      makers[name] = Maker(node: node, operands: operands)
    }
  }

  /// Whether the graph itself defines a name.
  func defines(_ name: String) -> Bool { entries[name] != nil }

  /// Keeps what an initializer turned out to be, where it stands.
  func load(_ name: String, _ value: Entry) {
    var scope: ONNXScope? = self
    while let one = scope {
      if one.entries[name] != nil {
        one.entries[name] = value
        return
      }
      scope = one.parent
    }
  }
}
