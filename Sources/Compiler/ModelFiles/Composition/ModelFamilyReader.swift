// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading
import TensorFiles

extension ModelFamily {
  /// Reads the models that a model uses, and those that they use.
  ///
  /// - Parameters:
  ///   - identity: of the document's own file, so that nobody uses it again.
  ///   - reader: reads other files.
  ///   - size: how much of a capture's network to take where it has several sizes, from 0 to 1.
  ///   - extents: numbers for the axes that ONNX files only name.
  ///   - mostWeights: how many numbers the weights of all of them may have.
  package init(
    _ document: ModelDocument, identity: ModelFile.Identity, reader: ModelFile.Reader, size: Double = 1,
    extents: [String: Int] = [:], mostWeights: Int = Limits.weights
  ) {
    var family = ModelFamilyReader(reader: reader, size: size, extents: extents, room: mostWeights)
    let root = family.add(document, identity: identity, user: nil)
    self.init(family.members, root: root, mistakes: family.mistakes)
  }

  /// Models within models within models.
  package static let maximumLevels = 32
  /// Files that one model uses, those of its models included.
  package static let maximumFiles = 256
  /// Paths that are looked up for them: a file has any number of names.
  package static let maximumPaths = 1024
}

/// Walks along the uses of models, depth first, and reads each file once.
private struct ModelFamilyReader {
  let reader: ModelFile.Reader
  let size: Double
  let extents: [String: Int]
  private(set) var members: [ModelFamily.Member] = []
  private(set) var mistakes: [ModelFamily.Mistake] = []
  /// Members by the identity of their files; nil where one has no meaning.
  private var known: [ModelFile.Identity: Int?] = [:]
  /// The models whose uses are being read, outermost first.
  private var users: [(identity: ModelFile.Identity, name: String)] = []
  /// The files of models that were read.
  private var files: Set<ModelFile.Identity> = []
  /// Those of several functions, by their identity.
  private var functionFiles: [ModelFile.Identity: FunctionFile] = [:]
  /// Files of weights by their identity; nil where one cannot be had.
  private var tensorFiles: [ModelFile.Identity: TensorFile?] = [:]
  /// How many numbers more the weights may have; nil after it has been said that there are too many.
  private var room: Int?
  /// The arrays of model files that took theirs.
  private var counted: Set<ObjectIdentifier> = []
  /// The same of sounds.
  private var sounds: [ModelFile.Identity: ImpulseResponse?] = [:]
  private var paths = 0
  private var bytes = 0
  /// The same of ONNX files, which are large and have a limit of their own.
  private var networkBytes = 0
  /// Whether a limit is reached: it is said once, and nothing is looked up or read any more.
  private var isFull = false

  init(reader: ModelFile.Reader, size: Double, extents: [String: Int], room: Int) {
    (self.reader, self.size, self.extents, self.room) = (reader, size, extents, room)
  }

  mutating func add(_ document: ModelDocument, identity: ModelFile.Identity, user: String?) -> Int {
    var member = ModelFamily.Member(document)
    users.append((identity, ModelFile.name(of: document.function, in: document.file)))
    if let functions = document.functionFile {
      // Behind the identity of the file stands the function.
      let own = identity.dropLast(ModelFile.identity(of: document.function, in: []).count)
      functionFiles[Array(own)] = functions
    }
    let file = users.count > 1 ? document.file : nil
    for (definition, expression) in zip(document.graph, member.expressions) {
      guard case .success(let expression) = expression else { continue }
      for call in expression.modelCalls {
        guard let path = call.path, member.uses[Array(path.utf8)] == nil else { continue }
        // Only where it is said: to count the lines before it takes time.
        var place: Place {
          definition.expression.place(atCharacter: call.pathOffset)
            .inFile(file)
        }
        switch model(path, of: document, at: place) {
        case .success(let index): member.uses.updateValue(index, forKey: Array(path.utf8))
        case .failure(let refusal):
          member.uses.updateValue(nil, forKey: Array(path.utf8))
          if let message = refusal.message {
            mistakes.append(.init(message: message, place: place, user: user, culprit: refusal.culprit))
          }
        }
      }
    }
    let loading = WeightsLoading(document, member.expressions, room: room, counted: counted) { path, place in
      self.tensors(path, of: document, at: place.inFile(file), user: user)
    } hear: { path, place in
      self.sound(path, of: document, at: place.inFile(file), user: user)
    }
    (member.weights, room, counted) = (loading.weights, loading.room, loading.counted)
    mistakes += loading.mistakes.map {
      .init(message: $0.message, place: $0.place.inFile(file), user: user, culprit: $0.culprit)
    }
    // Of a part of another model only the numbers count.
    if user == nil { readLabels(of: &member) }
    users.removeLast()
    members.append(member)
    known[identity] = members.count - 1
    return members.count - 1
  }

  private mutating func readLabels(of member: inout ModelFamily.Member) {
    let document = member.document
    for (row, output) in document.outputs.enumerated() {
      guard let labels = output.labels, case .file(let path) = labels.source else { continue }
      func refuse(_ message: String, _ culprit: String?) {
        mistakes.append(
          .init(
            message: "the file \(quoted(path)) \(message)", place: labels.place, user: nil, culprit: culprit))
      }
      let file: ModelFile
      switch reader.find(path, document.file) {
      case .success(let found): file = found
      case .failure(let refusal):
        refuse(refusal.message, refusal.file)
        continue
      }
      // One byte more than may come tells what is too much.
      switch reader.read(file, LabelText.mostBytes + 1) {
      case .success(let contents):
        guard let bytes = contents.given else {
          refuse("is an ONNX file, and no text", file.file)
          continue
        }
        do throws(LabelText.Refusal) {
          member.labels[row] = try LabelText.labels(bytes)
          member.weights.files.append(file.file)
        } catch {
          refuse(error.message, file.file)
        }
      case .failure(let refusal): refuse(refusal.message, file.file)
      }
    }
  }

  /// The tensors of a file that a model names; nil after it has been said why they cannot be had.
  private mutating func tensors(
    _ path: String, of document: ModelDocument, at place: Place, user: String?
  ) -> TensorFile? {
    contents(path, of: document, at: place, user: user, known: \.tensorFiles) {
      bytes, file throws(TensorFileError) in
      try TensorFile(bytes, file: file)
    }
  }

  /// The impulse response in a sound file; nil after it has been said why it cannot be had.
  private mutating func sound(
    _ path: String, of document: ModelDocument, at place: Place, user: String?
  ) -> ImpulseResponse? {
    contents(path, of: document, at: place, user: user, known: \.sounds) {
      bytes, file throws(TensorFileError) in
      try ImpulseResponse(WaveFile(bytes, file: file))
    }
  }

  private mutating func contents<Contents>(
    _ path: String, of document: ModelDocument, at place: Place, user: String?,
    known: WritableKeyPath<Self, [ModelFile.Identity: Contents?]>,
    _ read: (FileReader, String) throws(TensorFileError) -> Contents
  ) -> Contents? {
    func refuse(_ message: String, _ culprit: String? = nil) -> Contents? {
      mistakes.append(.init(message: message, place: place, user: user, culprit: culprit))
      return nil
    }
    guard !isFull else { return nil }
    paths += 1
    guard paths <= ModelFamily.maximumPaths else {
      return full("are named by more than \(ModelFamily.maximumPaths) paths").message.flatMap { refuse($0) }
    }
    let file: ModelFile
    switch reader.find(path, document.file) {
    case .success(let found): file = found
    case .failure(let refusal):
      return refuse("the file \(quoted(path)) \(refusal.message)", refusal.file)
    }
    if let earlier = self[keyPath: known][file.identity] { return earlier }
    guard tensorFiles.count + sounds.count < ModelFamily.maximumFiles else {
      return full("have more than \(ModelFamily.maximumFiles) files of weights").message.flatMap {
        refuse($0)
      }
    }
    self[keyPath: known].updateValue(nil, forKey: file.identity)
    switch reader.open(file) {
    case .success(let bytes):
      do throws(TensorFileError) {
        let contents = try read(bytes, file.file)
        self[keyPath: known][file.identity] = contents
        return contents
      } catch {
        return refuse(error.description, file.file)
      }
    case .failure(let refusal):
      return refuse("the file \(quoted(path)) \(refusal.message)", file.file)
    }
  }

  private struct Refusal: Error {
    /// Nil where it has been said.
    var message: String?
    /// The file that cannot be had.
    var culprit: String?

    init(message: String? = nil) { self.message = message }

    init(_ path: String, _ refusal: ModelFile.Refusal, file: String? = nil) {
      message = "the model \(quoted(path)) \(refusal.message)"
      culprit = file ?? refusal.file
    }
  }

  private mutating func model(
    _ path: String, of user: ModelDocument, at place: @autoclosure () -> Place
  ) -> Result<Int, Refusal> {
    guard !isFull else { return .failure(Refusal()) }
    paths += 1
    guard paths <= ModelFamily.maximumPaths else {
      return .failure(full("are named by more than \(ModelFamily.maximumPaths) paths"))
    }
    let (own, function) = ModelFile.parts(of: path)
    let file: ModelFile
    switch reader.find(own, user.file) {
    case .success(let found): file = found
    case .failure(let refusal): return .failure(Refusal(path, refusal))
    }
    let identity = ModelFile.identity(of: function, in: file.identity)
    if let first = users.firstIndex(where: { $0.identity == identity }) {
      let names = users[first...].map(\.name) + [ModelFile.name(of: function, in: file.file)]
      let chain = names.joined(separator: " uses ")
      return .failure(Refusal(message: "a model cannot use itself: \(chain)"))
    }
    if let index = known[identity] { return index.map { .success($0) } ?? .failure(Refusal()) }
    guard users.count < ModelFamily.maximumLevels else {
      return .failure(Refusal(message: "models nest deeper than \(ModelFamily.maximumLevels) levels"))
    }
    let document: ModelDocument
    func described() -> String {
      let place = place()
      return "\(user.file):\(place.line):\(place.column)"
    }
    do throws(Unreadable) { document = try decoded(function, of: file, named: path) } catch {
      known.updateValue(nil, forKey: identity)
      switch error {
      case .refused(let refusal): return .failure(refusal)
      case .mistaken(let flaws):
        let user = described()
        mistakes += flaws.all.map { flaw in
          ModelFamily.Mistake(
            message: flaw.message, place: (flaw.place ?? .start).inFile(flaw.file), user: user)
        }
        return .failure(Refusal())
      }
    }
    guard document.network?.open == nil else {
      known.updateValue(nil, forKey: identity)
      return .failure(Refusal(path, .init("has \(document.axesWithoutNumbers.message)"), file: file.file))
    }
    return .success(add(document, identity: identity, user: described()))
  }

  private enum Unreadable: Error {
    case refused(Refusal)
    case mistaken(Diagnostics)
  }

  /// A model file, or a function of it; a file is read and counted once, however many functions of it are used.
  private mutating func decoded(
    _ function: String?, of file: ModelFile, named path: String
  ) throws(Unreadable) -> ModelDocument {
    do throws(Diagnostics) {
      if let function, let functions = functionFiles[file.identity] {
        return try ModelDocument.decode(function, of: functions, file: file.file)
      }
    } catch { throw .mistaken(error) }
    let tooMuch =
      "have more than \(ModelFamily.maximumFiles) files or \(JSONReader.maximumBytes) bytes"
    let isFirst = !files.contains(file.identity)
    guard !isFirst || files.count < ModelFamily.maximumFiles else { throw .refused(full(tooMuch)) }
    files.insert(file.identity)
    let content: FileReader
    // One byte more than may come tells what is too much.
    switch reader.read(file, JSONReader.maximumBytes - bytes + 1) {
    case .success(let read): content = read
    case .failure(let refusal): throw .refused(Refusal(path, refusal, file: file.file))
    }
    if isFirst {
      // What stays open is an ONNX file; what was given may be one that is no ordinary file.
      if content.given.map(ModelDocument.isONNX) ?? true {
        networkBytes += content.count
      } else {
        bytes += content.count
      }
    }
    guard bytes <= JSONReader.maximumBytes, networkBytes <= ModelDocument.mostNetworkBytes else {
      throw .refused(full(tooMuch))
    }
    do throws(Diagnostics) {
      return try ModelDocument.decode(
        contents: content, file: file.file, function: function, size: size, extents: extents, reader: reader)
    } catch { throw .mistaken(error) }
  }

  private mutating func full(_ what: String) -> Refusal {
    isFull = true
    return Refusal(message: "the models that are used \(what), which are the most")
  }
}
