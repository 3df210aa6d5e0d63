// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import TensorFiles

/// Weights of a model, once their numbers are there.
///
///     "taps": [0.5, 0.25]                       from the model's own text
///     "w": "amp.safetensors:layer.weight"       a tensor of a file
///     "cabinet": { "file": "cab.wav" }          a sound, whose taps follow the model's rate
///     "file": "amp.safetensors"                 each tensor of a file that an expression names: 'layer.weight'
package struct LoadedWeights: Sendable {
  package let name: String
  /// The place of the text that asks for them.
  let place: Place
  package let content: Content
  /// Nil for those of the model's own text.
  package let origin: Origin?

  /// The numbers: the same at any rate, or not.
  package enum Content: Sendable {
    case numbers(shape: [Int], Numbers)
    case sound(ImpulseResponse)
  }

  /// The part of a file that the numbers come from.
  package struct Origin: Sendable {
    /// The file as messages call it.
    package let file: String
    /// The type of its numbers there, and their bytes.
    package let type: String
    package let bytes: Int
  }
}

extension ModelFamily {
  /// The weights that a model asks for, as far as they can be had.
  struct MemberWeights: Sendable {
    var loaded: [LoadedWeights] = []
    /// The names of those that cannot be had, which has been said.
    var failed: Set<String> = []
    /// Whether a file with any others cannot be had, which has been said.
    var hidesNames = false
    /// The files that were opened, as messages call them.
    var files: [String] = []
  }
}

extension ModelFamily.MemberWeights {
  /// Those of the model's own text; what stands in files is not looked for.
  init(alone document: ModelDocument) {
    for weight in document.weights {
      switch weight.source {
      case .numbers(let shape, let numbers):
        loaded.append(
          .init(name: weight.name, place: weight.place, content: .numbers(shape: shape, numbers), origin: nil)
        )
      case .tensor, .sound: failed.insert(weight.name)
      }
    }
    hidesNames = document.weightsFile != nil
  }
}

/// Reads the weights of one model: each file is opened once, however often it is named.
struct WeightsLoading {
  /// The file that a path means; nil after it has been said why it cannot be had.
  typealias Opening = (_ path: String, _ place: Place) -> TensorFile?
  /// The same of a sound.
  typealias Hearing = (_ path: String, _ place: Place) -> ImpulseResponse?

  private let document: ModelDocument
  private(set) var weights = ModelFamily.MemberWeights()
  private(set) var mistakes: [(message: String, place: Place, culprit: String?)] = []
  /// How many numbers more there may be; nil after it has been said that there are too many.
  private(set) var room: Int?
  /// The arrays of model files that took theirs: functions of one file share them.
  private(set) var counted: Set<ObjectIdentifier>

  init(
    _ document: ModelDocument, _ expressions: [Result<Expression, ExpressionError>], room: Int?,
    counted: Set<ObjectIdentifier>, open: Opening, hear: Hearing
  ) {
    (self.document, self.room, self.counted) = (document, room, counted)
    /// By their paths; nil where it has been said why a file cannot be had.
    var opened: [String: TensorFile?] = [:]
    func tensors(_ path: String, at place: Place) -> TensorFile? {
      if let known = opened[path] { return known }
      let file = open(path, place)
      opened.updateValue(file, forKey: path)
      return file
    }
    for weight in document.weights {
      switch weight.source {
      case .numbers(let shape, let numbers):
        let isFirst = self.counted.insert(ObjectIdentifier(numbers)).inserted
        guard !isFirst || take(numbers.count, at: weight.place) else {
          weights.failed.insert(weight.name)
          continue
        }
        weights.loaded.append(
          .init(name: weight.name, place: weight.place, content: .numbers(shape: shape, numbers), origin: nil)
        )
      case .tensor(let reference):
        guard let file = tensors(reference.file, at: reference.place) else {
          weights.failed.insert(weight.name)
          continue
        }
        note(file.file)
        guard let entry = file.entry(reference.tensor) else {
          let hint = nearestName(to: reference.tensor, among: file.entries.map(\.name))
          let remedy = hint.map { "; did you mean \(quoted($0))?" } ?? ""
          fail(
            weight.name, "\(quoted(file.file)) has no tensor \(quoted(reference.tensor))\(remedy)",
            at: reference.place, file.file)
          continue
        }
        load(weight.name, entry, of: file, at: reference.place)
      case .sound(let reference):
        guard let response = hear(reference.path, reference.place) else {
          weights.failed.insert(weight.name)
          continue
        }
        let sound = response.sound
        note(sound.file)
        weights.loaded.append(
          .init(
            name: weight.name, place: reference.place, content: .sound(response),
            origin: .init(
              file: sound.file, type: "\(sound.form) at \(sound.sampleRate) Hz", bytes: sound.bytes)))
      }
    }
    for file in document.network?.files ?? [] { note(file) }
    guard let reference = document.weightsFile else { return }
    guard let file = tensors(reference.path, at: reference.place) else {
      weights.hidesNames = true
      return
    }
    note(file.file)
    let own = Set(document.weights.map(\.name))
    let named = Set(expressions.flatMap { (try? $0.get())?.strings ?? [] })
    func isOfModule(_ name: String) -> Bool { RecurrentModule.module(of: name).map(named.contains) == true }
    let arrays = Set(file.entries.lazy.map(\.name).filter(isOfModule))
    for entry in file.entries(named: named.union(arrays).subtracting(own)) {
      load(entry.name, entry, of: file, at: reference.place)
    }
  }

  private mutating func note(_ file: String) {
    if !weights.files.contains(file) { weights.files.append(file) }
  }

  private mutating func fail(_ name: String, _ message: String, at place: Place, _ file: String) {
    mistakes.append((message, place, file))
    weights.failed.insert(name)
  }

  /// Whether there is room for so many numbers; where there is none, that is said once.
  private mutating func take(_ count: Int, at place: Place) -> Bool {
    guard let room else { return false }
    guard count <= room else {
      self.room = nil
      let message = "the weights of the model and of those that it uses have too many numbers"
      mistakes.append((message + "; all in all \(Limits.weights) are the most", place, nil))
      return false
    }
    self.room = room - count
    return true
  }

  private mutating func load(_ name: String, _ entry: TensorEntry, of file: TensorFile, at place: Place) {
    do throws(TensorFileError) {
      // Before any of them is looked at.
      if let flaw = Shape(entry.shape).flaw {
        throw TensorFileError(file.file, tensor: entry.name, flaw)
      }
      guard file.has(entry) || take(entry.count, at: place) else {
        weights.failed.insert(name)
        return
      }
      weights.loaded.append(
        .init(
          name: name, place: place, content: .numbers(shape: entry.shape, try file.numbers(of: entry)),
          origin: .init(file: file.file, type: entry.element.rawValue, bytes: entry.bytes.count)))
    } catch {
      fail(name, error.description, at: place, file.file)
    }
  }
}

extension Expression {
  /// The strings in it.
  fileprivate var strings: [String] {
    terms.compactMap { term in
      switch term.kind {
      case .string(let text): text
      case .number, .name, .list, .negation, .binary, .call: nil
      }
    }
  }
}
