// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles
internal import TensorFiles

extension GraphBuilder {
  /// The impulse response in a WAVE file as weights, for `fir`: `[taps]`, or `[2, taps]` of a stereo file.
  ///
  ///     let cabinet = builder.impulseResponse("cabinet", contentsOf: "cab.wav")
  ///     builder.output("dst", source.fir(cabinet))
  ///
  /// It is brought to the builder's rate, times the ratio of both, so that each frequency is as loud as in the file; at its
  /// end, what is 90 dB below its peak is left out. A file that cannot be read is a problem of the graph.
  public func impulseResponse(_ name: String, contentsOf path: String) -> Signal {
    switch ModelFolder.open(path) {
    case .success(let bytes):
      do throws(TensorFileError) {
        let taps = try ImpulseResponse(WaveFile(bytes, file: path)).taps(at: sampleRate)
        return weights(name, shape: taps.shape, taps.numbers)
      } catch {
        report(error.description)
      }
    case .failure(let refusal): report("the file \(quoted(path)) \(refusal.message)")
    }
    return Signal(self, assembler.forward(nil), name)
  }
}
