// SPDX-License-Identifier: Apache-2.0

/// What a server has chosen for a secure aggregation, checked: a device that follows blindly may be led to tell everything.
struct SecureSettings {
  /// How many shares of those of a secret make it known.
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
    guard shares <= SecureAggregation.mostNeighbours, threshold <= shares else {
      throw .answer(
        "the server's secure aggregation has \(shares) shares, and \(threshold) of them tell a secret; up to "
          + "\(SecureAggregation.mostNeighbours) shares are made here, and no more can tell it than there are"
      )
    }
    guard threshold >= fewest else {
      throw .answer(
        "the server's secure aggregation can be taken apart to sums of \(threshold) devices, and this device hides among "
          + "\(fewest) or more: a reconstruction_threshold of \(fewest) is needed")
    }
    try Self.check(threshold, of: shares)
    guard modulus.nonzeroBitCount == 1, modulus <= 1 << 32, levels >= 2, levels < modulus else {
      throw .answer(
        "the server's secure aggregation has a mod_range of \(modulus), and a target_range of \(levels); the one is a power of 2 up to 4294967296, the other less"
      )
    }
    guard devices <= Int(modulus) / levels else {
      throw .answer(
        "the server's secure aggregation of \(devices) devices overflows: a mod_range of \(modulus) has room for \(Int(modulus) / levels) with a target_range of \(levels)"
      )
    }
    guard 2 * clipping / Double(levels) <= 0.01 else {
      throw .answer(
        "the server's secure aggregation tells weights in steps of \(2 * clipping / Double(levels)) (clipping_range \(clipping), target_range \(levels)); 0.01 is the most"
      )
    }
  }

  /// With half of the shares or fewer a server could ask some neighbours for the one secret of a device, others for the other.
  ///
  /// - Throws: `FederatedError.answer`.
  static func check(_ threshold: Int, of shares: Int) throws(FederatedError) {
    guard 2 * threshold > shares else {
      throw .answer(
        "the server's secure aggregation lets it come to know both secrets of a device: \(threshold) of \(shares) shares tell "
          + "one, and more than half are needed (reconstruction_threshold)")
    }
  }
}
