// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR
import JSONReading
import ONNXFiles
import TensorFiles

extension ModelDocument {
  /// The most bytes of ONNX files, which have no limit of their own below 2 GiB.
  package static let mostNetworkBytes = 1 << 30

  /// Whether bytes begin as an ONNX file does.
  package static func isONNX(_ bytes: some Collection<UInt8>) -> Bool { ONNXTranslation.describes(bytes) }

  /// The model that an ONNX file is, as if a file of ours had said it: a model of steps.
  ///
  ///     net.onnx ─▶ ONNXTranslation ─▶ inputs, graph, weights ─▶ as from net.json
  ///
  /// - Parameters:
  ///   - extents: numbers for the axes that the file only names.
  ///   - reader: finds files beside it in which its weights stand.
  init(
    onnx bytes: [UInt8], file: String, extents: [String: Int], reader: ModelFile.Reader
  ) throws(Diagnostics) {
    var files: [String] = []
    func external(_ path: String) -> Result<FileReader, ONNXError> {
      reader.find(path, file).flatMap { found in
        files.append(found.file)
        return reader.open(found)
      }.mapError { ONNXError("the file \(quoted(path)) \($0.message)") }
    }
    let translation: ONNXTranslation
    do throws(ONNXErrors) {
      translation = try withoutActuallyEscaping(external) { external throws(ONNXErrors) in
        try ONNXTranslation(bytes, extents: extents, external: external)
      }
    } catch {
      throw Diagnostics(error.all.map { Diagnostic(file: file, place: nil, message: $0.message) })
    }
    let description = printable(translation.description, limit: 1024)
    self.init(
      file: file, version: Self.supportedVersion, name: Self.name(ofFile: file), clock: .step,
      sampleRate: nil,
      prewarm: 0, description: description.isEmpty ? nil : description, author: nil, license: nil,
      inputs: translation.inputs.map { input in
        Input(
          name: input.name, place: .start,
          shape: input.shape.map { ShapeEntry(extent: .number($0), place: .start) }, description: nil)
      },
      parameters: [],
      graph: translation.lines.map {
        Definition(name: $0.name, namePlace: .start, expression: JSONString($0.expression, madeAt: .start))
      },
      weights: translation.tensors.map {
        Weight(name: $0.name, place: .start, source: .numbers(shape: $0.shape, $0.numbers))
      },
      weightsFile: nil, outputs: translation.outputs.map { Output(name: $0, place: .start) }, presets: [],
      levels: Levels(), capture: nil,
      network: NetworkFacts(symbols: translation.symbols, files: files))
  }
}
