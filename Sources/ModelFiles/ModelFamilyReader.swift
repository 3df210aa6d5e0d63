// SPDX-License-Identifier: Apache-2.0

import GraphIR

extension ModelFamily {
  /// Reads the models that a model uses, and those that they use.
  ///
  /// - Parameters:
  ///   - identity: of the document's own file, so that nobody uses it again.
  ///   - reader: reads other files.
  package init(_ document: ModelDocument, identity: String, reader: @escaping ModelFile.Reader) {
    var family = ModelFamilyReader(reader: reader)
    let root = family.add(document, identity: identity, user: nil)
    self.init(family.members, root: root, mistakes: family.mistakes)
  }

  /// Models within models within models.
  package static let maximumLevels = 32
  /// Files that one model uses, those of its models included.
  package static let maximumFiles = 256
}

/// Walks along the uses of models, depth first, and reads each file once.
private struct ModelFamilyReader {
  let reader: ModelFile.Reader
  private(set) var members: [ModelFamily.Member] = []
  private(set) var mistakes: [ModelFamily.Mistake] = []
  /// Members by the identity of their files; nil where one has no meaning.
  private var known: [String: Int?] = [:]
  /// The models whose uses are being read, outermost first.
  private var users: [(identity: String, file: String)] = []
  private var bytes = 0

  init(reader: @escaping ModelFile.Reader) { self.reader = reader }

  mutating func add(_ document: ModelDocument, identity: String, user: String?) -> Int {
    var member = ModelFamily.Member(document)
    users.append((identity, document.file))
    for (definition, expression) in zip(document.graph, member.expressions) {
      guard case .success(let expression) = expression else { continue }
      for call in expression.modelCalls {
        guard let path = call.path, member.uses[path] == nil else { continue }
        let place = definition.expression.place(atCharacter: call.pathOffset)
          .inFile(users.count > 1 ? document.file : nil)
        switch model(path, of: document, at: place) {
        case .success(let index): member.uses.updateValue(index, forKey: path)
        case .failure(let refusal):
          member.uses.updateValue(nil, forKey: path)
          if let message = refusal.message {
            mistakes.append(.init(message: message, place: place, user: user))
          }
        }
      }
    }
    users.removeLast()
    members.append(member)
    known[identity] = members.count - 1
    return members.count - 1
  }

  private struct Refusal: Error {
    /// Nil where it has been said.
    var message: String?
  }

  private mutating func model(
    _ path: String, of user: ModelDocument, at place: Place
  ) -> Result<Int, Refusal> {
    let file: ModelFile
    switch reader(path, user.file) {
    case .success(let found): file = found
    case .failure(let refusal):
      return .failure(Refusal(message: "the model \(quoted(path)) \(refusal.message)"))
    }
    if let first = users.firstIndex(where: { $0.identity == file.identity }) {
      let names = users[first...].map { printable($0.file) } + [printable(file.file)]
      let chain = names.joined(separator: " uses ")
      return .failure(Refusal(message: "a model cannot use itself: \(chain)"))
    }
    if let index = known[file.identity] { return index.map { .success($0) } ?? .failure(Refusal()) }
    guard users.count < ModelFamily.maximumLevels else {
      return .failure(Refusal(message: "models nest deeper than \(ModelFamily.maximumLevels) levels"))
    }
    bytes += file.bytes.count
    guard known.count < ModelFamily.maximumFiles, bytes <= JSONReader.maximumBytes else {
      return .failure(
        Refusal(
          message: "the models that are used have more than \(ModelFamily.maximumFiles) files or "
            + "\(JSONReader.maximumBytes) bytes, which are the most"))
    }
    let described = "\(user.file):\(place.line):\(place.column)"
    let document: ModelDocument
    do throws(Diagnostics) {
      document = try ModelDocument.decode(file.bytes, file: file.file)
    } catch {
      known.updateValue(nil, forKey: file.identity)
      mistakes += error.all.map { diagnostic in
        ModelFamily.Mistake(
          message: diagnostic.message, place: (diagnostic.place ?? .start).inFile(diagnostic.file),
          user: described)
      }
      return .failure(Refusal())
    }
    return .success(add(document, identity: file.identity, user: described))
  }
}
