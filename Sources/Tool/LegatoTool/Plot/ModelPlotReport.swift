// SPDX-License-Identifier: Apache-2.0

internal import Legato
internal import SoundAnalysis
internal import SoundMeasuring

/// What `plot --model --json` prints.
struct ModelPlotReport: Encodable {
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
}

extension PlotOfModel {
  var report: ModelPlotReport {
    ModelPlotReport(
      model: model.name, sampleRate: rate, levelDecibels: responses.level,
      levelDependenceDecibels: responses.levelDependence, comparedLevelsDecibels: responses.levels,
      transferHysteresis: responses.hysteresis,
      channels: probe.channels.indices.map { channel in
        ModelPlotReport.Channel(
          name: probe.channels[channel],
          frequencyResponse: responses.frequency[channel].map {
            .init(hertz: $0.hertz, decibels: finite(decibels(ofPower: $0.mean)))
          },
          impulseResponse: Array(responses.impulse[channel].prefix(responses.impulseFrames)),
          transfer: responses.transfer[channel].map { .init(input: $0.input, output: $0.output) })
      })
  }
}
