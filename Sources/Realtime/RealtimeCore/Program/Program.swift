// SPDX-License-Identifier: Apache-2.0

/// A compiled graph: one entry point, its packed weights, and how to talk to it.
///
/// A program never changes and is shared freely between threads; what runs is a `Context`, of which a program has
/// any number. The compiler makes programs at run time; one that was compiled ahead of time is made from its
/// symbols with the same initialiser, and needs no compiler.
@safe
public final class Program: Sendable {
  /// The program's name in messages.
  public let name: String
  /// The ports, the parameters, and the places in a workspace.
  public let layout: ProgramLayout
  /// The packed weights, or nil where there are none.
  public let weights: Weights?

  package let entry: EntryPoint
  /// The state of contexts before their first frame; nil for silence.
  let initialState: InitialState?
  /// Keeps the memory alive in which `entry` lies.
  private let owner: (any Sendable & AnyObject)?

  /// Checks that code and library agree, and holds on to everything that the code needs.
  ///
  /// Where the layout asks for it, the code runs over silence, which takes as long as so many frames take; and it must
  /// run on this machine.
  /// - Parameters:
  ///   - name: What messages call the program.
  ///   - layout: The ports, the parameters, and the places in a workspace.
  ///   - entry: The code. It must keep to the layout; nothing can check that.
  ///   - weights: The packed weights, or nil where there are none.
  ///   - owner: An object that lives as long as the program, such as code in memory.
  /// - Throws: `ProgramError` where the version is another one or the layout contradicts itself, or there is no memory to
  ///   warm up in.
  public convenience init(
    name: String, layout: ProgramLayout, entry: EntryPoint, weights: Weights? = nil,
    owner: (any Sendable & AnyObject)? = nil
  ) throws(ProgramError) {
    try unsafe self.init(
      name: name, layout: layout, entry: entry, weights: weights, owner: owner, settledAt: [:])
  }

  /// - Parameter values: The values of parameters, by name, with which it warms up; others have their initial ones.
  package init(
    name: String, layout: ProgramLayout, entry: EntryPoint, weights: Weights?,
    owner: (any Sendable & AnyObject)?, settledAt values: [String: Float]
  ) throws(ProgramError) {
    guard layout.version == ProgramLayout.currentVersion else {
      throw .version(program: name, found: layout.version, expected: ProgramLayout.currentVersion)
    }
    if let reason = layout.contradiction { throw .layout(program: name, reason: reason) }
    self.name = name
    self.layout = layout
    unsafe self.entry = entry
    self.weights = weights
    self.owner = owner
    guard layout.prewarm > 0 else {
      initialState = nil
      return
    }
    var cold = layout
    cold.prewarm = 0
    initialState = try unsafe InitialState(
      after: layout.prewarm,
      of: Program(name: name, layout: cold, entry: entry, weights: weights, owner: owner), at: values)
  }

  /// The same code in a program that has warmed up with other values of its parameters than their initial ones.
  ///
  /// A network with a knob settles to something else where that stands elsewhere. Who knows values before the first frame
  /// hears nothing of it in contexts of this program, which have to be set to the same values; the silence takes as long
  /// as it took the first time. Where nothing warms up or nothing is different it is the program itself.
  /// - Parameter values: By the parameters' names; those that are missing have their initial values.
  /// - Throws: `ProgramError` where there is no memory to warm up in.
  public func settled(at values: [String: Float]) throws(ProgramError) -> Program {
    let isOther = layout.parameters.contains { values[$0.name, default: $0.initial] != $0.initial }
    guard layout.prewarm > 0, isOther else { return self }
    return try unsafe Program(
      name: name, layout: layout, entry: entry, weights: weights, owner: owner, settledAt: values)
  }

  /// The same code in a program that does not warm up.
  package func cold() throws(ProgramError) -> Program {
    var layout = layout
    layout.prewarm = 0
    return try unsafe Program(name: name, layout: layout, entry: entry, weights: weights, owner: owner)
  }

  /// Bytes of the workspace that a context needs.
  public var workspaceSize: Int { layout.workspaceSize }
}
