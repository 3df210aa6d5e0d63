// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// Reads the text form of a graph, as `description` writes it.
  ///
  /// Right-hand sides may be any expression of a model file. Stated types are checked, and may be left out. Empty
  /// lines and lines that begin with `#` count for nothing.
  ///
  /// - Parameter weights: the numbers of those weights that the text has none of, by their names.
  package init(
    parsing text: String, file: String = "graph", weights: [String: Numbers] = [:]
  ) throws(Diagnostics) {
    var reader = GraphTextReader(file: file, weights)
    for (row, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      reader.read(String(line), number: row + 1)
    }
    self = try reader.finish()
  }
}

private struct GraphTextReader {
  let file: String
  private let given: [String: Numbers]
  private var source = ModelSource(name: "", clock: .stream, sampleRate: 48_000)
  private var diagnostics: [Diagnostic] = []
  /// The beginning of each definition's expression.
  private var expressionPlaces: [Place] = []
  private var stated: [(name: String, shape: Shape, place: Place)] = []
  private var inputPlaces: [Place] = []
  private var parameterPlaces: [Place] = []
  private var outputPlaces: [Place] = []
  private var outputsApart: Set<Int> = []

  init(file: String, _ given: [String: Numbers]) {
    (self.file, self.given) = (file, given)
    source.foldsConstants = false
  }

  mutating func read(_ line: String, number: Int) {
    var cursor = LineCursor(line, number: number)
    do throws(ExpressionError) {
      guard let word = try cursor.optionalName() else {
        if !cursor.isAtEnd, !line.hasPrefix("#") {
          throw ExpressionError(offset: 0, message: "a line begins with a name")
        }
        return
      }
      // A value may be called as what a line can begin with: its type or its definition follows.
      switch cursor.isAt("[") || cursor.isAt("=") ? "" : word {
      case "graph":
        source.name = try cursor.string()
        let clock = try cursor.name()
        guard let known = Clock(rawValue: clock) else {
          throw ExpressionError(offset: 0, message: "the clock is 'stream' or 'step', not '\(clock)'")
        }
        source.clock = known
        source.sampleRate = try cursor.number()
        while let word = try cursor.optionalName() {
          switch word {
          case "latency": source.latency = try cursor.integer()
          case "prewarm": source.prewarm = try cursor.integer()
          case _: throw ExpressionError(offset: 0, message: "a graph has no \(quoted(word))")
          }
        }
      case "input":
        inputPlaces.append(cursor.place)
        let name = try cursor.name()
        let word = try cursor.optionalName()
        guard word == nil || word == "parameter" else {
          throw ExpressionError(offset: 0, message: "an input is a 'parameter' or not, never '\(word!)'")
        }
        var port = InputPort(name: name, type: TensorType(try cursor.shape()))
        port.isArrayParameter = word != nil
        source.inputs.append(port)
      case "parameter":
        parameterPlaces.append(cursor.place)
        try readParameter(&cursor)
      case "weights":
        let name = try cursor.string()
        let shape = try cursor.shape()
        let numbers = try numbers(of: name, &cursor)
        guard shape.frames == nil, shape.flaw == nil, shape.count == numbers.count else {
          throw ExpressionError(
            offset: 0, message: "the weights \(quoted(name)) are \(shape), and have \(numbers.count) numbers")
        }
        source.weights.append(Weights(name: name, shape: shape.fixed, values: numbers))
      case "output":
        outputPlaces.append(cursor.place)
        let name = try cursor.name()
        if let word = try cursor.optionalName() {
          guard word == "apart" else {
            throw ExpressionError(offset: 0, message: "an output is 'apart' or not, never '\(word)'")
          }
          outputsApart.insert(source.outputs.count)
        }
        try cursor.expect("=")
        source.outputs.append((name, try cursor.valueName(in: &source, places: &expressionPlaces)))
      default:
        let place = cursor.wordPlace
        if cursor.isAt("[") { stated.append((word, try cursor.shape(), place)) }
        try cursor.expect("=")
        expressionPlaces.append(cursor.place)
        let expression = try cursor.restAsExpression()
        source.definitions.append(.init(name: word, expression: expression, place: place))
      }
      guard cursor.isAtEnd else {
        throw ExpressionError(offset: cursor.position, message: "the line should end here")
      }
    } catch {
      diagnostics.append(
        Diagnostic(
          file: file, place: Place(line: number, column: error.offset + 1), message: error.message))
    }
  }

  private func numbers(of name: String, _ cursor: inout LineCursor) throws(ExpressionError) -> Numbers {
    guard cursor.isAtEnd, let numbers = given[name] else {
      try cursor.expect("=")
      return Numbers(try cursor.floats())
    }
    return numbers
  }

  private mutating func readParameter(_ cursor: inout LineCursor) throws(ExpressionError) {
    let name = try cursor.name()
    _ = try cursor.shape()
    try cursor.expect("=")
    var parameter = ParameterDeclaration(
      name: name, initial: Float(try cursor.number()), minimum: 0, maximum: 1, rampFrames: 0)
    while let key = try cursor.optionalName() {
      switch key {
      case "minimum": parameter.minimum = Float(try cursor.number())
      case "maximum": parameter.maximum = Float(try cursor.number())
      case "ramp": parameter.rampFrames = try cursor.integer()
      case "unit": parameter.unit = try cursor.string()
      case "summary": parameter.summary = try cursor.string()
      case "scale":
        let scale = try cursor.name()
        guard let known = ParameterDeclaration.Scale(rawValue: scale) else {
          throw ExpressionError(offset: 0, message: "the scale is 'linear' or 'logarithmic', not '\(scale)'")
        }
        parameter.scale = known
      default:
        throw ExpressionError(offset: 0, message: "a parameter has no '\(key)'")
      }
    }
    source.parameters.append(parameter)
  }

  func finish() throws(Diagnostics) -> Graph {
    guard diagnostics.isEmpty else { throw Diagnostics(diagnostics) }
    var graph: Graph
    do throws(ElaborationErrors) {
      graph = try source.elaborated(
        assuming: Dictionary(
          stated.filter { $0.shape.flaw == nil }.map { ($0.name, TensorType($0.shape)) },
          uniquingKeysWith: { first, _ in first }))
    } catch {
      throw Diagnostics(error.all.map(diagnostic))
    }
    let values = Dictionary(graph.origins.names.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let wrong = stated.compactMap { statement -> Diagnostic? in
      guard let value = values[statement.name], graph.shape(of: value) != statement.shape else { return nil }
      let shape = graph.shape(of: value)
      return Diagnostic(
        file: file, place: statement.place,
        message: "'\(statement.name)' is stated as \(statement.shape), and is \(shape)")
    }
    guard wrong.isEmpty else { throw Diagnostics(wrong) }
    for index in outputsApart { graph.outputs[index].isApart = true }
    return graph
  }

  private func diagnostic(_ error: ElaborationError) -> Diagnostic {
    var place: Place?
    switch error.part {
    case .expression(let definition, let offset):
      place = expressionPlaces[definition]
      place?.column += offset
    case .definition(let index): place = source.definitions[index].place
    case .input(let index): place = inputPlaces[index]
    case .parameter(let index): place = parameterPlaces[index]
    case .weights: place = nil
    case .output(let index): place = outputPlaces[index]
    }
    return Diagnostic(file: file, place: place, message: error.message)
  }
}

/// Walks along one line of the text form.
private struct LineCursor {
  private let characters: [Unicode.Scalar]
  private let lineNumber: Int
  private(set) var position = 0

  init(_ line: String, number: Int) {
    characters = Array(line.unicodeScalars)
    lineNumber = number
  }

  var place: Place { Place(line: lineNumber, column: position + 1) }
  var wordPlace: Place { Place(line: lineNumber, column: 1) }

  var isAtEnd: Bool { characters[position...].allSatisfy(\.properties.isWhitespace) }

  func isAt(_ character: Unicode.Scalar) -> Bool {
    position < characters.count && characters[position] == character
  }

  private mutating func skipSpace() {
    while position < characters.count, characters[position].properties.isWhitespace { position += 1 }
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(characters[range]))
  }

  private func failure(_ message: String) -> ExpressionError {
    ExpressionError(offset: position, message: message)
  }

  mutating func optionalName() throws(ExpressionError) -> String? {
    skipSpace()
    let start = position
    position = characters.endOfQualifiedName(from: start)
    let name = text(start..<position)
    skipSpace()
    return name.isEmpty ? nil : name
  }

  mutating func name() throws(ExpressionError) -> String {
    guard let name = try optionalName() else { throw failure("a name is missing") }
    return name
  }

  mutating func expect(_ character: Unicode.Scalar) throws(ExpressionError) {
    guard isAt(character) else { throw failure("expected '\(character)'") }
    position += 1
    skipSpace()
  }

  mutating func string() throws(ExpressionError) -> String {
    guard isAt("\"") else { throw failure("a string is missing") }
    let text = try QuotedText.read(characters, at: &position)
    skipSpace()
    return text
  }

  mutating func integer() throws(ExpressionError) -> Int {
    let start = position
    guard let value = Int(exactly: try number()) else {
      position = start
      throw failure("a whole number is missing")
    }
    return value
  }

  mutating func number() throws(ExpressionError) -> Double {
    let start = position
    while position < characters.count, !characters[position].properties.isWhitespace,
      !",]".unicodeScalars.contains(characters[position])
    {
      position += 1
    }
    guard let value = Double(text(start..<position)), value.isFinite else {
      position = start
      throw failure("a number is missing")
    }
    skipSpace()
    return value
  }

  mutating func shape() throws(ExpressionError) -> Shape {
    var shape = Shape.scalar
    try expect("[")
    while !isAt("]") {
      if let word = try optionalName() {
        guard word == "frames" else { throw failure("an extent is a number or 'frames'") }
        shape.frames = .init()
        if isAt("/") {
          try expect("/")
          shape.frames = .init(hop: try integer())
        }
      } else {
        shape.fixed.append(try integer())
      }
      if !isAt("]") { try expect(",") }
    }
    try expect("]")
    return shape
  }

  mutating func floats() throws(ExpressionError) -> [Float] {
    var values: [Float] = []
    try expect("[")
    while !isAt("]") {
      values.append(Float(try number()))
      if !isAt("]") { try expect(",") }
    }
    try expect("]")
    return values
  }

  mutating func restAsExpression() throws(ExpressionError) -> Expression {
    let start = position
    position = characters.count
    do throws(ExpressionError) {
      return try Expression(parsing: text(start..<characters.count))
    } catch {
      throw ExpressionError(offset: start + error.offset, message: error.message)
    }
  }

  /// The name that an output shows; a literal or weights are given a definition of their own.
  mutating func valueName(
    in source: inout ModelSource, places: inout [Place]
  ) throws(ExpressionError) -> String {
    let start = place
    let expression = try restAsExpression()
    if case .name(let name) = expression.terms.last?.kind { return name }
    let name = "output\(source.outputs.count)"
    source.definitions.append(.init(name: name, expression: expression, place: start))
    places.append(start)
    return name
  }
}
