// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR
internal import ModelFiles

/// Networks over a stretch of time, as effects.
extension Model {
  /// The network of an ONNX file that takes a stretch of time, as a model of a stream: frames come one after the other, and
  /// each number is the one of the whole.
  ///
  ///     x [1, 1, T] ─▶ y [1, 1, T]          streaming("x")          x [1, frames] ─▶ y [1, frames]
  ///
  /// Convolutions along time are causal then, recurrent layers go on, and what a frame needs of later ones is latency. The
  /// other axes of the input become its channels. Outputs that have no frames, such as the last state, are left out; those
  /// that have fewer by a stride hold each one until the next.
  ///
  /// - Parameters:
  ///   - input: The input that becomes a stream, and its axis of time by its name or its number from 0: `x:T`, `x:2`. Without
  ///     it, it is the only one behind the first, that of a batch, that has no length yet.
  ///   - extents: Numbers for other axes that the file only names; the first one, that of a batch, is 1 without.
  ///   - states: What the network remembers from stretch to stretch, such as `["h:hn"]`: the input begins with zeros, and
  ///     the output is left out, since a stream goes on.
  /// - Throws: `RequestError` where the input has no such axis, or something is over all frames, or over one alone.
  public func streaming(
    _ input: String, extents: [String: Int] = [:], states: [String] = []
  ) throws(RequestError) -> Model {
    guard document.network != nil, stages.count == 1 else {
      throw RequestError("\(quoted(name)) is no ONNX file; a model file says itself what has frames")
    }
    let pairs = try states.map { text throws(RequestError) in try statePair(text) }
    let (port, time) = try timeAxis(input, extents)
    func streamed(in frames: Int) throws(RequestError) -> (Graph, left: [String], period: Int) {
      var bound = extents
      for (axis, extent) in inputs[port].shape.enumerated() {
        guard case .symbol(let symbol) = extent, extents[symbol] == nil else { continue }
        if axis == time || axis == 0 { bound[symbol] = axis == time ? frames : 1 }
      }
      let graph: Graph
      do throws(ModelError) { graph = try self.graph(extents: bound, sampleRate: nil) } catch {
        throw RequestError("\(error.description.split(separator: "\n").joined(separator: "; "))")
      }
      return try graph.streamed(port, axis: time, without: pairs, of: name)
    }
    func whole(_ frames: Int, _ period: Int) -> Int { (frames + period - 1) / period * period }
    var open: String?
    if case .symbol(let symbol) = inputs[port].shape[time], extents[symbol] == nil { open = symbol }
    var unit = Self.stretches[0]
    let first: (Graph, left: [String], period: Int)
    do throws(RequestError) { first = try streamed(in: 2 * unit) } catch {
      guard let open else { throw error }
      // What is a number of strides long may be in another one.
      unit = Self.stretches[1]
      guard let other = try? streamed(in: 2 * unit) else {
        throw Self.naming(
          2 * Self.stretches[0], in: error, axis: open, of: "\(inputs[port].name):\(time)")
      }
      first = other
    }
    var (stream, left, period) = first
    if open != nil {
      if !(2 * unit).isMultiple(of: period) {
        (stream, left, period) = try streamed(in: whole(2 * unit, period))
      }
      guard try streamed(in: whole(3 * unit, period)).0 == stream else {
        throw RequestError(
          "\(quoted(name)) makes no stream of \(quoted(input)): it computes otherwise with other numbers of frames"
        )
      }
    }
    let note = left.isEmpty ? nil : "left out: " + left.joined(separator: "; ")
    let family = ModelFamily(
      document.streaming(as: stream, note: note), identity: [], reader: .none, size: 1, extents: [:])
    do throws(ModelError) { return try Model(family, controls: []) } catch {
      throw RequestError("\(error.description)")
    }
  }

  /// Two and three times so many frames are the stretches that a network is looked at with, where it only names them: more
  /// than any frame depends on, and a multiple of what most strides come to; the second one for those of 7, 147 or 441.
  private static let stretches = [15_360, 70_560]

  /// An error that says what a number of frames in it is, which nobody wrote.
  private static func naming(
    _ frames: Int, in error: RequestError, axis: String, of input: String
  ) -> RequestError {
    guard error.description.contains(String(frames)) else { return error }
    let (second, asked) = (2 * stretches[1], quoted(axis))
    return RequestError(
      "\(error.description); it was tried with \(frames) frames for \(asked), and with \(second): where its strides divide neither, --bind \(printable(axis))=N with --stream \(input) says how many"
    )
  }

  /// An input and the output that goes into it, by their names: `h:hn`.
  private func statePair(_ text: String) throws(RequestError) -> (input: String, output: String) {
    for colon in text.indices where text[colon] == ":" {
      let rest = text[text.index(after: colon)...]
      let output = outputs.first { original(ofOutput: $0) == rest } ?? outputs.first { $0 == rest }
      if let output, let input = row(ofInput: text[..<colon]) { return (inputs[input].name, output) }
    }
    throw RequestError("\(quoted(text)) is no input and output of \(quoted(name)), such as h:hn")
  }

  /// The row of an input and its axis of time, as `x:2` says them.
  private func timeAxis(_ text: String, _ extents: [String: Int]) throws(RequestError) -> (
    port: Int, axis: Int
  ) {
    let colon = text.lastIndex(of: ":")
    let whole = row(ofInput: text)
    let port = whole ?? colon.flatMap { row(ofInput: text[..<$0]) }
    guard let port else {
      let names = alternatives(inputs.map { quoted($0.name) }, "and")
      throw RequestError("\(quoted(name)) has no input \(quoted(text)); it has \(names)")
    }
    let (input, shape) = (inputs[port].name, inputs[port].shape)
    let written = "[" + shape.map(\.description).joined(separator: ", ") + "]"
    guard whole == nil, let colon else {
      let open = shape.indices.filter { axis in
        if case .symbol(let name) = shape[axis] {
          extents[name] == nil && (axis > 0 || shape.count == 1)
        } else {
          false
        }
      }
      guard open.count == 1 else {
        let example = "\(printable(input)):\(max(0, shape.count - 1))"
        throw RequestError("\(quoted(input)) is \(written); say which axis is time, such as \(example)")
      }
      return (port, open[0])
    }
    let name = String(text[text.index(after: colon)...])
    guard let axis = shape.firstIndex(of: .symbol(name)) ?? Int(name), shape.indices.contains(axis) else {
      throw RequestError("\(quoted(input)) is \(written), and has no axis \(quoted(name))")
    }
    return (port, axis)
  }
}

extension Graph {
  /// The stream with all outputs that have frames, and why the others have none.
  ///
  /// - Parameter pairs: inputs and outputs that are no longer any.
  fileprivate func streamed(
    _ port: Int, axis: Int, without pairs: [(input: String, output: String)], of name: String
  ) throws(RequestError) -> (Graph, left: [String], period: Int) {
    for pair in pairs {
      guard let own = inputs.first(where: { $0.name == pair.input })?.type.shape,
        let next = outputs.first(where: { $0.name == pair.output }).map({ shape(of: $0.value) }), own == next
      else {
        throw RequestError(
          "\(quoted(pair.output)) has another shape than \(quoted(pair.input)), and cannot go on as it")
      }
    }
    let silent = Set(pairs.map(\.input))
    var (kept, reasons) = ([OutputPort](), [String]())
    for output in outputs where !pairs.map(\.output).contains(output.name) {
      var alone = self
      alone.outputs = [output]
      do throws(TypingError) {
        _ = try alone.streamed(port, axis: axis, silencing: silent)
        kept.append(output)
      } catch {
        reasons.append("\(quoted(output.name)), which depends on \(error.description)")
      }
    }
    guard !kept.isEmpty else {
      let why = reasons.isEmpty ? "no output is left" : reasons.joined(separator: "; ")
      throw RequestError("\(quoted(name)) makes no stream of \(quoted(inputs[port].name)): \(why)")
    }
    var whole = self
    whole.outputs = kept
    do throws(TypingError) {
      let (graph, period) = try whole.streamed(port, axis: axis, silencing: silent)
      return (graph, reasons, period)
    } catch {
      throw RequestError(
        "\(quoted(name)) makes no stream of \(quoted(inputs[port].name)): \(error.description)")
    }
  }
}
