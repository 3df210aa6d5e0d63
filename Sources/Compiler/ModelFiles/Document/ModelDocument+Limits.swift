// SPDX-License-Identifier: Apache-2.0

extension ModelDocument {
  /// The version of the format that this decoder reads.
  package static let supportedVersion = 1

  package static let maximumGraphEntries = 65_536
  package static let maximumInputs = 4_096
  package static let maximumParameters = 4_096
  package static let maximumWeights = 65_536
  package static let maximumOutputs = 4_096
  package static let maximumPresets = 4_096
  package static let maximumDimensions = 64
  package static let maximumExtent = 1 << 30
  package static let maximumNameLength = 256
  /// In hertz; audio files have whole rates, too.
  package static let sampleRates = 1...768_000

  /// Those from 120 on are messages to a device as a whole.
  package static let midiControllers = 0...119

  /// A person reads no more than this; the rest is counted.
  package static let maximumDiagnostics = 256
}
