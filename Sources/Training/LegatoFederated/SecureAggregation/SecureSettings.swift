// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The settings that a server has chosen for a secure aggregation, checked: a device that follows blindly may be led to tell everything.
struct SecureSettings {
  /// How many shares of those of a seed make it known.
  let threshold: Int
  /// Numbers are cut to ±this.
  let clipping: Double
  /// The largest number that is sent, which stands for `clipping`; 0 stands for its negative.
  let levels: Int
  /// A power of two by which sums are taken.
  let modulus: UInt64
  /// The number of examples whose share of the sum is 1.
  let mostExamples: Double

  /// - Parameters:
  ///   - record: of the stage of setup.
  ///   - fewest: the fewest devices whose sum the server may come to know.
  /// - Throws: `FederatedError.answer`.
  init(_ record: ValueRecord, fewest: Int) throws(FederatedError) {
    func integer(_ name: String) throws(FederatedError) -> Int {
      guard case .integer(let value)? = record[name], let number = Int(exactly: value), number > 0 else {
        throw .answer("the server's secure aggregation says no whole number above 0 as '\(name)'")
      }
      return number
    }
    func number(_ name: String) throws(FederatedError) -> Double {
      guard let value = record[name]?.number, value.isFinite, value > 0 else {
        throw .answer("the server's secure aggregation says no number above 0 as '\(name)'")
      }
      return value
    }
    let (devices, shares) = (try integer("sample_num"), try integer("share_num"))
    (threshold, levels) = (try integer("threshold"), try integer("target_range"))
    (clipping, mostExamples) = (try number("clipping_range"), try number("max_weight"))
    modulus = UInt64(try integer("mod_range"))
    let most = SecureAggregation.sizes.upperBound
    guard shares <= most, threshold <= shares else {
      throw .answer(
        "the server's secure aggregation has \(shares) shares, and \(threshold) of them tell a secret; up to \(most) shares are "
          + "made here, and no more can tell it than there are")
    }
    guard shares >= fewest else {
      throw .answer(
        "the server's secure aggregation of \(counted(devices, "device")) lets one hide among \(shares) (num_shares), and this one "
          + "hides among \(fewest) or more: as many devices and num_shares are needed")
    }
    guard modulus.nonzeroBitCount == 1, modulus <= 1 << 32, levels >= 2, levels < modulus else {
      throw .answer(
        "the server's secure aggregation has a mod_range of \(modulus), and a target_range of \(levels); the one is a power of 2 up to 4294967296, the other less"
      )
    }
    let room = Int(modulus - 1) / levels
    guard devices <= room else {
      throw .answer(
        "the server's secure aggregation of \(devices) devices overflows: a mod_range of \(modulus) has room for \(room) with a target_range of \(levels)"
      )
    }
  }

  /// The share of a device in the sum, 1 to `levels`: its examples, of `mostExamples`.
  ///
  /// - Throws: `FederatedError.answer` where there are more, or so few that weights would go in steps of more than 0.01.
  func share(of examples: Int) throws(FederatedError) -> Double {
    guard Double(examples) <= mostExamples else {
      throw .answer(
        "the server's secure aggregation counts devices of up to \(mostExamples) examples (max_weight); this one has \(examples)"
      )
    }
    let share = (Double(examples) / mostExamples * Double(levels)).rounded(.toNearestOrEven)
    guard share >= 1, 2 * clipping / share <= 0.01 else {
      throw .answer(
        "the server's secure aggregation tells weights of \(examples) examples in steps of \(2 * clipping / share) (clipping_range "
          + "\(clipping), target_range \(levels), max_weight \(mostExamples)); 0.01 is the most")
    }
    return share
  }
}
