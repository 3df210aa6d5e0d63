// SPDX-License-Identifier: Apache-2.0

/// A program's name and layout in one line of text, as the header of an exported object has it.
///
///     2 Wah%20Wah 1 src 0 1 - 1 dst 0 1 - 0 …
///
/// Words in one order, lists behind their counts. `-` is nothing, and a text's bytes that are neither letters nor
/// digits are in hexadecimal behind a `%`, which alone is the empty text.
struct ProgramDescription {
  /// The words left to be read; nil while writing.
  private var rest: ArraySlice<Substring>?
  private var words: [String] = []
  /// Whether what was read was something else than was expected.
  private(set) var isDamaged = false

  /// Writes.
  init() {}

  /// Reads.
  init(_ text: String) { rest = text.split(separator: " ")[...] }

  var text: String { words.joined(separator: " ") }

  /// Whether there is nothing behind what was read.
  var isAtEnd: Bool { rest?.isEmpty ?? true }

  /// The next word as a value, or its place taken by one; what cannot be read leaves the value as it is.
  private mutating func code<Value>(
    _ value: inout Value, read: (Substring) -> Value?, write: (Value) -> String
  ) {
    guard rest != nil else { return words.append(write(value)) }
    if let word = rest?.popFirst(), let result = read(word) { value = result } else { isDamaged = true }
  }

  mutating func code<Number: LosslessStringConvertible>(_ number: inout Number) {
    code(&number, read: { Number(String($0)) }, write: \.description)
  }

  mutating func code(_ number: inout Int?) {
    code(
      &number, read: { $0 == "-" ? .some(nil) : Int($0).map { .some($0) } },
      write: { $0.map(\.description) ?? "-" })
  }

  mutating func code(_ number: inout Float?) {
    code(
      &number, read: { $0 == "-" ? .some(nil) : Float(String($0)).map { .some($0) } },
      write: { $0.map(\.description) ?? "-" })
  }

  mutating func code(_ text: inout String) {
    code(&text, read: Self.text, write: Self.word)
  }

  mutating func code(_ text: inout String?) {
    code(
      &text, read: { $0 == "-" ? .some(nil) : Self.text($0).map { .some($0) } },
      write: { $0.map(Self.word) ?? "-" })
  }

  /// - Parameter element: what is read into.
  mutating func code<Element>(
    _ list: inout [Element], _ element: Element,
    _ code: (inout ProgramDescription, inout Element) -> Void
  ) {
    var count = list.count
    self.code(&count)
    if let rest {
      // Each element has a word at least.
      isDamaged = isDamaged || count < 0 || count > rest.count
      list = Array(repeating: element, count: isDamaged ? 0 : count)
    }
    for index in list.indices { code(&self, &list[index]) }
  }

  private static func word(_ text: String) -> String {
    guard !text.isEmpty else { return "%" }
    return text.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber)
        ? String(character) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
    }.joined()
  }

  private static func text(_ word: Substring) -> String? {
    guard word != "%" else { return "" }
    var bytes: [UInt8] = []
    var rest = word.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let code = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension ProgramLayout {
  /// The layout and a program's name in one line of ASCII without quotation marks and backslashes.
  package func described(as name: String) -> String {
    var (description, layout, name) = (ProgramDescription(), self, name)
    layout.code(&description, &name)
    return description.text
  }

  /// The order of all words.
  fileprivate mutating func code(_ text: inout ProgramDescription, _ name: inout String) {
    text.code(&version)
    text.code(&name)
    text.code(&inputs, Port(name: "", shape: [], rows: 0, rowLength: nil)) { $1.code(&$0) }
    text.code(&outputs, Port(name: "", shape: [], rows: 0, rowLength: nil)) { $1.code(&$0) }
    text.code(
      &parameters,
      ParameterRange(name: "", minimum: 0, maximum: 0, initial: 0, unit: "", rampFrames: 0)
    ) { $1.code(&$0) }
    text.code(&executesStream)
    text.code(&latency)
    text.code(&workspaceSize)
    text.code(&positionOffset)
    text.code(&blockStaleOffset)
    text.code(&settledStaleOffset)
    text.code(&rampSpanOffset)
    text.code(&rampsOffset)
    text.code(&signalDelays, SignalDelay(name: "", range: 0...0)) { $1.code(&$0) }
    text.code(&countsOffset)
    text.code(&stateRange)
    text.code(
      &histories,
      History(name: "", offset: 0, rows: 0, pitch: 0, capacity: 0, repeated: 0, reach: 0, length: 0)
    ) { $1.code(&$0) }
    text.code(&prewarm)
    text.code(&makesNoise)
  }
}

extension ProgramDescription {
  fileprivate mutating func code(_ range: inout Range<Int>) {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    code(&lower)
    code(&upper)
    if lower <= upper { range = lower..<upper } else { isDamaged = true }
  }
}

extension ProgramLayout.Port {
  fileprivate mutating func code(_ text: inout ProgramDescription) {
    text.code(&name)
    text.code(&shape, 0) { $0.code(&$1) }
    text.code(&rows)
    text.code(&rowLength)
  }
}

extension ProgramLayout.ParameterRange {
  fileprivate mutating func code(_ text: inout ProgramDescription) {
    text.code(&name)
    text.code(&minimum)
    text.code(&maximum)
    text.code(&initial)
    text.code(&unit)
    text.code(&rampFrames)
  }
}

extension ProgramLayout.SignalDelay {
  fileprivate mutating func code(_ text: inout ProgramDescription) {
    text.code(&name)
    text.code(&line)
    text.code(&column)
    text.code(&file)
    var frames = range.lowerBound..<range.upperBound
    text.code(&frames)
    range = frames.lowerBound...frames.upperBound
  }
}

extension ProgramLayout.History {
  fileprivate mutating func code(_ text: inout ProgramDescription) {
    text.code(&name)
    text.code(&offset)
    text.code(&rows)
    text.code(&pitch)
    text.code(&framePitch)
    text.code(&capacity)
    text.code(&repeated)
    text.code(&movesOn)
    text.code(&reach)
    text.code(&length)
    text.code(&constant)
  }
}

extension Program {
  /// Makes a program of an object that `legato compile` wrote, which has its weights and needs no compiler.
  ///
  ///     let program = try Program(described: WAH_PROGRAM) { wah_execute($0, $1, $2, $4) }
  ///
  /// - Parameters:
  ///   - description: What the object's header says of it, in one line.
  ///   - entry: The object's one function. It must belong to the header; nothing can check that.
  /// - Throws: `ProgramError` where the description is of another version, or damaged.
  public convenience init(described description: String, entry: EntryPoint) throws(ProgramError) {
    var name = ""
    var layout = ProgramLayout(
      inputs: [], outputs: [], parameters: [], executesStream: true, latency: 0, workspaceSize: 0,
      positionOffset: 0, blockStaleOffset: 0, settledStaleOffset: 0, rampSpanOffset: 0, rampsOffset: 0,
      stateRange: 0..<0)
    var text = ProgramDescription(description)
    layout.code(&text, &name)
    if layout.version == ProgramLayout.currentVersion, text.isDamaged || !text.isAtEnd {
      throw .layout(program: name, reason: "its description cannot be read")
    }
    unsafe try self.init(name: name, layout: layout, entry: entry)
  }
}
