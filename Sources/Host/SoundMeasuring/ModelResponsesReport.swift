// SPDX-License-Identifier: Apache-2.0

internal import SoundAnalysis

/// The responses of a model as data.
package struct ModelResponsesReport: Encodable {
  struct Channel: Encodable {
    struct Gain: Encodable {
      let hertz: Double
      /// Left out where nothing comes out.
      let decibels: Double?
    }

    struct Pair: Encodable { let input, output: Double }

    let name: String
    let frequencyResponse: [Gain]
    let impulseResponse: [Double]
    let transfer: [Pair]
  }

  let model: String
  let sampleRate: Int
  let levelDecibels, levelDependenceDecibels: Double
  let comparedLevelsDecibels: [Double]
  let transferHysteresis: Double
  let channels: [Channel]

  /// - Parameter channels: a name for each.
  package init(_ model: String, _ responses: ModelResponses, channels: [String], sampleRate: Int) {
    (self.model, self.sampleRate) = (model, sampleRate)
    (levelDecibels, levelDependenceDecibels) = (responses.level, responses.levelDependence)
    (comparedLevelsDecibels, transferHysteresis) = (responses.levels, responses.hysteresis)
    self.channels = channels.enumerated().map { index, name in
      Channel(
        name: name,
        frequencyResponse: responses.frequency[index].map {
          .init(hertz: $0.hertz, decibels: finite(decibels(ofPower: $0.mean)))
        },
        impulseResponse: Array(responses.impulse[index].prefix(responses.impulseFrames)),
        transfer: responses.transfer[index].map { .init(input: $0.input, output: $0.output) })
    }
  }
}
