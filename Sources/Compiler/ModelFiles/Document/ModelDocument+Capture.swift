// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import JSONReading

extension ModelDocument {
  /// The model that a capture is, as if a file of ours had said it.
  ///
  ///     amp.nam ─▶ Capture ─▶ inputs, parameters, graph, weights ─▶ as from amp.json
  ///
  /// Each part has the place of what it stands for in the capture.
  init(capture json: JSONDocument, file: String, size: Double) throws(Diagnostics) {
    let capture: Capture
    do throws(CaptureError) {
      capture = try Capture(reading: json, size: size)
    } catch {
      throw Diagnostics([Diagnostic(file: file, place: error.place, message: error.message)])
    }
    let place = capture.place
    func entry(_ extent: ShapeEntry.Extent) -> ShapeEntry { ShapeEntry(extent: extent, place: place) }
    let name = capture.name.map { String($0.unicodeScalars.prefix(Self.maximumNameLength)) }
    self.init(
      file: file, version: Self.supportedVersion, name: name ?? Self.name(ofFile: file), clock: .stream,
      sampleRate: SampleRate(hertz: capture.sampleRate, place: capture.ratePlace),
      prewarm: capture.prewarm, description: capture.description, author: capture.author,
      license: capture.license,
      inputs: [
        Input(
          name: "src", place: place, shape: [entry(.number(capture.inputs)), entry(.symbol("frames"))],
          description: nil)
      ],
      parameters: capture.knobs.map(Parameter.init),
      graph: capture.lines.map {
        Definition(
          name: $0.name, namePlace: $0.place, expression: JSONString($0.expression, madeAt: $0.place))
      },
      weights: capture.tensors.map {
        Weight(name: $0.name, place: $0.place, source: .numbers(shape: $0.shape, $0.numbers))
      },
      weightsFile: nil, outputs: [Output(name: "dst", place: place)], presets: [], levels: capture.levels,
      capture: CaptureFacts(metadata: capture.metadata, hasSizes: capture.hasSizes),
      network: nil)
  }

  /// "models/bitcrusher.json" is called "bitcrusher".
  static func name(ofFile file: String) -> String {
    let last = file.split(separator: "/").last ?? "model"
    guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return String(last) }
    return String(last[..<dot])
  }
}

extension ModelDocument.Parameter {
  fileprivate init(_ knob: CaptureKnob) {
    self.init(
      name: knob.name, place: knob.place, defaultValue: knob.initial, minimum: knob.minimum,
      maximum: knob.maximum,
      unit: nil, scale: .linear, ramp: knob.isSwitch ? 0 : Self.defaultRamp, midi: nil,
      description: knob.description)
  }
}
