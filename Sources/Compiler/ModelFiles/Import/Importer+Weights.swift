// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import TensorFiles

extension Importer {
  /// Reads the arrays of all models, and makes the taps of sounds for the rate.
  ///
  /// A low rate that a file states makes many taps of few bytes: they are counted, too, as often as they are named.
  mutating func readWeights() {
    var made: [ObjectIdentifier: (shape: [Int], numbers: Numbers)] = [:]
    var room = Limits.taps
    for (row, array) in composition.weights.enumerated() {
      let weights: Weights
      switch array.loaded.content {
      case .numbers(let shape, let numbers):
        // Numbers that were let go are read now, where they can be refused.
        do throws(Numbers.Unavailable) { try numbers.makeAgain() } catch {
          diagnostics.report(
            "\(error.message); read the model again", at: array.loaded.place.inFile(array.file))
          source.unread.weights.insert(array.name)
          continue
        }
        weights = Weights(name: array.name, shape: shape, values: numbers)
      case .sound(let response):
        // Taps are of a rate, which is not known before the extents are.
        guard extents != nil, let taps = taps(of: response, for: array, &made, &room) else {
          source.unread.weights.insert(array.name)
          continue
        }
        weights = Weights(name: array.name, shape: taps.shape, values: taps.numbers)
      }
      source.weights.append(weights)
      weightRows.append(row)
    }
  }

  /// - Returns: nil after it has been said why there are none.
  private mutating func taps(
    of response: ImpulseResponse, for array: Composition.WeightArray,
    _ made: inout [ObjectIdentifier: (shape: [Int], numbers: Numbers)], _ room: inout Int
  ) -> (shape: [Int], numbers: Numbers)? {
    func refuse(_ message: String) {
      diagnostics.report(
        message, at: array.loaded.place.inFile(array.file), culprit: response.sound.file)
    }
    // It has been said.
    guard room >= 0 else { return nil }
    do throws(TensorFileError) {
      let known = made[ObjectIdentifier(response)]
      let taps = if let known { known } else { try response.taps(at: source.sampleRate) }
      made[ObjectIdentifier(response)] = taps
      room -= taps.numbers.count
      guard room >= 0 else {
        refuse(
          "the impulse responses of the model have too many taps; all in all \(Limits.taps) are the most")
        return nil
      }
      return taps
    } catch {
      refuse(error.description)
      return nil
    }
  }
}
