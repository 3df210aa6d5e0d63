// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension ModelDocument {
  /// The clock that the file states; else a stream, unless there are inputs and none of them has frames.
  package var boundClock: GraphIR.Clock {
    switch clock {
    case .stream: .stream
    case .step: .step
    case nil: inputs.isEmpty || inputs.contains(where: \.hasFrames) ? .stream : .step
    }
  }
}

extension ModelDocument.Input {
  fileprivate var hasFrames: Bool { shape.contains { $0.extent == .symbol("frames") } }
}

extension Importer {
  /// The shape of an input with all names bound; nil after it has been said what is wrong with it.
  mutating func shape(of input: ModelDocument.Input) -> Shape? {
    shape(of: input, extents: extents, file: nil)
  }

  /// Says what is wrong with the inputs of a model that is used, whatever goes in.
  mutating func checkInputs(of member: Int) {
    for input in family.members[member].document.inputs {
      user = composition.users[member]
      _ = shape(of: input, extents: nil, file: family.file(of: member))
      user = nil
    }
  }

  /// The demand on an argument, with what is known of the model as a whole.
  func bound(_ demand: Demand) -> Demand {
    guard case .input(var port) = demand, let rate = Int(exactly: source.sampleRate) else { return demand }
    port.extents = port.extents.map { $0 == .symbol("sampleRate") ? .number(rate) : $0 }
    return .input(port)
  }

  private mutating func shape(
    of input: ModelDocument.Input, extents: [String: Int]?, file: String?
  ) -> Shape? {
    var shape = Shape.scalar
    var isGood = true
    for (axis, entry) in input.shape.enumerated() {
      switch entry.extent {
      case .number(let extent):
        shape.fixed.append(extent)
      case .symbol("frames"):
        shape.frames = .init()
        isGood = checkFrames(entry, isLast: axis == input.shape.count - 1, file) && isGood
      case .symbol(let name):
        if let extent = extent(of: name, among: extents, at: entry.place.inFile(file)) {
          shape.fixed.append(extent)
        } else {
          isGood = false
        }
      }
    }
    if source.clock == .stream, shape.frames == nil {
      diagnostics.report(
        "the input \(quoted(input.name)) of a stream needs 'frames' as the last axis of its shape; a model "
          + "without frames says \"clock\": \"step\"", at: input.place.inFile(file), user: user)
      isGood = false
    }
    return isGood ? shape : nil
  }

  private mutating func checkFrames(
    _ entry: ModelDocument.ShapeEntry, isLast: Bool, _ file: String?
  ) -> Bool {
    guard source.clock == .stream else {
      diagnostics.report(
        "a model of steps has no 'frames'; write a number, or another name", at: entry.place.inFile(file),
        user: user)
      return false
    }
    guard isLast else {
      diagnostics.report("'frames' must be the last axis", at: entry.place.inFile(file), user: user)
      return false
    }
    return true
  }

  private mutating func extent(
    of name: String, among extents: [String: Int]?, at place: Place
  ) -> Int? {
    if name == "pi" {
      diagnostics.report("'pi' is no extent; write a whole number or a name", at: place, user: user)
      return nil
    }
    guard let extents else { return nil }
    let extent = name == "sampleRate" ? Int(exactly: source.sampleRate) : extents[name]
    guard name == "sampleRate" || extent != nil else {
      let hint = nearestName(to: name, among: extents.keys.sorted()).map { "; did you mean \(quoted($0))?" }
      diagnostics.report(
        "nothing says how long the axis \(quoted(name)) is\(hint ?? "; give it a number when the model is loaded")",
        at: place)
      return nil
    }
    guard let extent, (1...Limits.extent).contains(extent) else {
      let found = extent.map { String($0) } ?? written(source.sampleRate)
      diagnostics.report(
        "the axis \(quoted(name)) must have a whole number from 1 to \(Limits.extent) as its extent, this is \(found)",
        at: place)
      return nil
    }
    return extent
  }

  /// The declaration of a parameter in the graph: its ramp counts frames, and steps have none.
  mutating func declaration(of named: Composition.Parameter) -> ParameterDeclaration {
    let parameter = named.declared
    var frames = source.clock == .step || extents == nil ? 0 : (parameter.ramp * source.sampleRate).rounded()
    let longest = ParameterDeclaration.maximumRampFrames
    if frames > Double(longest) {
      diagnostics.report(
        "the ramp of \(quoted(named.name)) takes \(written(frames)) frames at \(written(source.sampleRate)) Hz; "
          + "\(longest) are the most", at: parameter.place.inFile(named.file))
      frames = 0
    }
    let scale: ParameterDeclaration.Scale =
      switch parameter.scale {
      case .linear: .linear
      case .logarithmic: .logarithmic
      }
    return ParameterDeclaration(
      name: named.name, initial: Float(parameter.defaultValue), minimum: Float(parameter.minimum),
      maximum: Float(parameter.maximum), unit: parameter.unit ?? "", scale: scale, rampFrames: Int(frames),
      summary: parameter.description ?? "")
  }
}
