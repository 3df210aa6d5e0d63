// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import ImageFiles
import JSONReading
package import TensorFiles

/// A model and the models that its expressions use, each file read once; or several of them, one after the other.
///
///     outer.json ──"cabinet.json"──▶ cabinet.json        stages  [outer, delay]
///               └─"rack/eq.json"──▶ rack/eq.json
///     delay.json                                         what `then` appends
///
/// Members that could not be read are missing; their errors are among the errors.
package struct ModelFamily: Sendable {
  struct Member: Sendable {
    var document: ModelDocument
    /// One for each definition: what it says, or where it cannot be read.
    let expressions: [Result<Expression, ExpressionError>]
    /// The definitions that are the use of a model and nothing besides, whose outputs can be named: `parts.low`.
    let parts: [String: ModelCall]
    /// The members that its expressions name, by the bytes of their paths; nil where a model cannot be had.
    var uses: [[UInt8]: Int?] = [:]
    var weights: MemberWeights
    /// The labels of each output, as far as they can be had.
    var labels: [[String]?]

    /// The member that a path in an expression means; nil where it cannot be had.
    func use(_ path: String) -> Int? { uses[Array(path.utf8)] ?? nil }

    init(_ document: ModelDocument) {
      self.document = document
      var (expressions, parts) = ([Result<Expression, ExpressionError>](), [String: ModelCall]())
      for definition in document.graph {
        do throws(ExpressionError) {
          let expression = try Expression(parsing: definition.expression.text)
          expressions.append(.success(expression))
          if let call = expression.modelCalls.last, call.term == expression.terms.count - 1 {
            parts[definition.name] = call
          }
        } catch {
          expressions.append(.failure(error))
        }
      }
      (self.expressions, self.parts) = (expressions, parts)
      weights = MemberWeights(alone: document)
      labels = document.outputs.map { output in
        if case .names(let names)? = output.labels?.source { names } else { nil }
      }
    }
  }

  /// Something that is wrong with a model of the family.
  struct Mistake: Sendable {
    var message: String
    var place: Place?
    /// The place where another model asks for the one with the mistake.
    var user: String?
    /// The file that is missing or damaged, where that is not the one of the place.
    var culprit: String?
  }

  var members: [Member]
  /// The members that follow one another.
  private(set) var stages: [Int]
  var mistakes: [Mistake] = []
  /// The gains in front of members and behind them, but for the parts of those that have some.
  var gains: [Int: Gains] = [:]
  /// Whether all that expressions name was looked for.
  let isComplete: Bool
  /// The bundle that the model stands in; nil where it is in none.
  package var bundle: BundleDocument?

  /// The model itself; the first one of several.
  package var document: ModelDocument { members[stages[0]].document }

  package var documents: [ModelDocument] { stages.map { members[$0].document } }

  /// The files of those that others use, and those with weights.
  package var usedFiles: [String] {
    let models = members.indices.filter { !stages.contains($0) }.map { members[$0].document.file }
    var files: [String] = []
    for file in models + members.flatMap(\.weights.files) where !files.contains(file) { files.append(file) }
    return files
  }

  /// The labels of each output of the model as a whole; nil for one that has none.
  package var labels: [[String]?] { members[stages[stages.count - 1]].labels }

  /// Whether one of them is a capture in several sizes.
  package var hasSizes: Bool { members.contains { $0.document.capture?.hasSizes == true } }

  /// A model by itself, before anybody looked for those that it uses.
  init(alone document: ModelDocument) {
    members = [Member(document)]
    stages = [0]
    isComplete = false
  }

  init(_ members: [Member], root: Int, mistakes: [Mistake]) {
    self.members = members
    stages = [root]
    self.mistakes = mistakes
    isComplete = true
    // All that use a function of it have been read.
    for index in members.indices { self.members[index].document.functionFile = nil }
  }

  /// The same models with those of another family behind them.
  package func then(_ other: ModelFamily) -> ModelFamily {
    var result = self
    result.bundle = nil
    let offset = members.count
    for member in other.members {
      var member = member
      member.uses = member.uses.mapValues { $0.map { $0 + offset } }
      result.members.append(member)
    }
    result.stages += other.stages.map { $0 + offset }
    for (member, gains) in other.gains { result.gains[member + offset] = gains }
    result.mistakes += other.mistakes.map { mistake in
      var mistake = mistake
      mistake.place = mistake.place?.inFile(mistake.place?.file ?? other.document.file)
      return mistake
    }
    return result
  }

  /// The same models with numbers for the axes that ONNX files among those in a row only name.
  ///
  /// - Throws: all axes that are left without a number.
  package func bound(to extents: [String: Int]) throws(Diagnostics) -> ModelFamily {
    var result = self
    for stage in stages where members[stage].document.network?.open != nil {
      let document = try members[stage].document.bound(to: extents)
      guard document.network?.open == nil else { throw Diagnostics([document.axesWithoutNumbers]) }
      result.members[stage] = Member(document)
      result.members[stage].weights.files = members[stage].weights.files
    }
    return result
  }

  /// The same models with other arrays, perhaps of other shapes, for some weights of the first one's own.
  package func replacing(_ arrays: [Weights]) -> ModelFamily {
    var result = self
    for (row, loaded) in members[stages[0]].weights.loaded.enumerated() {
      guard let array = arrays.first(where: { $0.name == loaded.name }) else { continue }
      result.members[stages[0]].weights.loaded[row] = LoadedWeights(
        name: loaded.name, place: loaded.place, content: .numbers(shape: array.shape, array.values),
        origin: nil)
    }
    return result
  }

  /// The same models, whose first one takes pictures at inputs of some names.
  package func taking(_ forms: [String: ImageConversion]) -> ModelFamily {
    var result = self
    for row in document.inputs.indices {
      let own = document.inputs[row]
      guard let form = forms[own.name], form != own.image else { continue }
      result.members[stages[0]].document.inputs[row].image = form
      result.members[stages[0]].document.inputs[row].hasOtherForm = true
    }
    return result
  }

  /// The same models with other labels of the outputs of the last one.
  package func labelled(_ labels: [[String]?]) -> ModelFamily {
    var result = self
    result.members[stages[stages.count - 1]].labels = labels
    return result
  }

  /// The axes that ONNX files among them only name, and that have numbers.
  package var boundAxes: Set<String> { Set(members.flatMap { $0.document.network?.bound ?? [] }) }

  /// Whether a file of a stage calls an axis so, which may have a number by now.
  package func hasAxis(_ name: String) -> Bool {
    boundAxes.contains(name)
      || stages.map { members[$0].document }.contains { document in
        document.symbols.contains(name) || document.openAxes.contains(name)
      }
  }

  /// Whether an ONNX file among them has axes without numbers.
  package var isOpen: Bool { stages.contains { members[$0].document.network?.open != nil } }

  /// The name of a member's file where it is not the first model's.
  func file(of member: Int) -> String? { member == stages[0] ? nil : members[member].document.file }
}

/// A file that a path in a model means, before anybody reads it.
package struct ModelFile: Hashable, Sendable {
  /// The same for all names of one file. Bytes: strings of different bytes may be equal, the names of two files are
  /// not.
  package typealias Identity = [UInt8]

  /// The file as messages call it.
  package var file: String
  package var identity: Identity

  package init(_ file: String, identity: Identity) { (self.file, self.identity) = (file, identity) }

  /// The file that an expression names, and the function of it that is meant: `"codec.json#decode"`.
  static func parts(of path: String) -> (file: String, function: String?) {
    guard let mark = path.lastIndex(of: "#"), case let name = String(path[path.index(after: mark)...]),
      name.isName
    else { return (path, nil) }
    return (String(path[..<mark]), name)
  }

  /// The file as messages call it, with the function of it that is meant.
  static func name(of function: String?, in file: String) -> String {
    printable(file) + (function.map { "#\($0)" } ?? "")
  }

  /// The identity of a function of a file: a function may use another one of its own file.
  package static func identity(of function: String?, in file: Identity) -> Identity {
    // No file has a zero in its name.
    function.map { file + [0] + Array($0.utf8) } ?? file
  }

  /// The reason why a file is not read, as it follows "'cabinet.json' ".
  package struct Refusal: Error, Hashable, Sendable {
    package var message: String
    /// The file that a path means and that is not there, as messages would call it.
    package var file: String?

    package init(_ message: String, file: String? = nil) { (self.message, self.file) = (message, file) }
  }

  /// The reader of model files: it knows the file system, and what strangers may see of it.
  package struct Reader {
    /// The file that a path in another file means.
    let find: (_ path: String, _ user: String) -> Result<ModelFile, Refusal>
    /// The bytes of a file; of one that is longer, as many as asked for, unless it is an ONNX file: that stays open.
    let read: (_ file: ModelFile, _ most: Int) -> Result<FileReader, Refusal>
    /// A file of weights, which may be long.
    let open: (_ file: ModelFile) -> Result<FileReader, Refusal>

    package init(
      find: @escaping (_ path: String, _ user: String) -> Result<ModelFile, Refusal>,
      read: @escaping (_ file: ModelFile, _ most: Int) -> Result<FileReader, Refusal>,
      open: @escaping (_ file: ModelFile) -> Result<FileReader, Refusal>
    ) {
      (self.find, self.read, self.open) = (find, read, open)
    }

    /// Of a text that stands in no folder.
    package static var none: Reader {
      func refuse<Success>() -> Result<Success, Refusal> {
        .failure(.init("cannot be read: a text has no folder"))
      }
      return Reader(find: { _, _ in refuse() }, read: { _, _ in refuse() }, open: { _ in refuse() })
    }
  }
}
