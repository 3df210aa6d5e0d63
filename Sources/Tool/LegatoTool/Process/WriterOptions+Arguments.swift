// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

extension AudioFileWriter.Options {
  /// What `--bits`, `--dither`, `--force` and `--sync` ask for.
  init(_ arguments: Arguments) throws(Failure) {
    self.init()
    sampleFormat = try arguments.choice(
      .bits, [("16", .int16), ("24", .int24), ("32", .int32), ("float", .float)])
    if let kind = try arguments.choice(.dither, [("triangular", dither), ("none", .none)]) { dither = kind }
    replaceExisting = arguments.has(.force)
    syncs = arguments.has(.sync)
  }
}
