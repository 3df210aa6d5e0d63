// SPDX-License-Identifier: Apache-2.0

internal import ReferenceInterpreter

extension Verification {
  /// The comparison of native output with double precision, output by output of two kinds.
  struct Comparison {
    /// Outputs with a cycle in what they are computed of.
    var loops = Kind()
    var others = Kind()
    /// The share of all numbers of which nothing is proven, and of those of the others.
    let shareUnbounded: (all: Double, others: Double)

    /// - Parameter recurrent: For each array of outputs, whether it is of a loop.
    init(_ result: ReferenceInterpreter.Result, recurrent: [Bool]) {
      shareUnbounded = (result.shareUnbounded, result.shareUnbounded(among: recurrent.map { !$0 }))
    }

    /// The outputs of one kind.
    struct Kind {
      fileprivate private(set) var numbers = 0
      fileprivate private(set) var onJumps = 0
      fileprivate private(set) var notFinite = 0
      /// Numbers that roundings alone may lead so far that nothing can be said of them, and how far.
      fileprivate private(set) var far = 0
      fileprivate private(set) var furthestReach = 0.0
      /// The largest distance from double precision of all others, and the largest that is allowed; nil where that is
      /// 90 dB below the peak.
      fileprivate private(set) var furthest = 0.0
      fileprivate private(set) var allowed: Double?

      /// - Parameter allowed: The distance that is allowed; nil where that is 90 dB below the peak.
      mutating func count(_ sample: Float, _ distance: Double, of allowed: Double?, _ sitsOnJump: Bool) {
        numbers += 1
        if !sample.isFinite { notFinite += 1 }
        if sitsOnJump {
          onJumps += 1
          return
        }
        if distance.isFinite { furthest = Swift.max(furthest, distance) }
        if let allowed, allowed.isFinite { self.allowed = Swift.max(self.allowed ?? 0, allowed) }
      }

      /// Counts a number that roundings alone may lead so far away that it tells nothing.
      mutating func countFar(_ sample: Float, _ reach: Double, _ sitsOnJump: Bool) {
        numbers += 1
        if !sample.isFinite { notFinite += 1 }
        if sitsOnJump {
          onJumps += 1
        } else {
          far += 1
          furthestReach = Swift.max(furthestReach, reach)
        }
      }

      fileprivate func sentence(_ precision: String) -> String {
        "within \(Verification.rounded(furthest))\(precision)"
          + (allowed.map { ", where \(Verification.rounded($0)) is allowed" } ?? "")
      }
    }

    /// The finding where no number is wrong.
    func finding(_ name: String) -> Finding {
      let numbers = loops.numbers + others.numbers
      func share(_ count: Int) -> Double { numbers == 0 ? 0 : Double(count) / Double(numbers) }
      let (onJumps, far) = (share(loops.onJumps + others.onJumps), share(loops.far))
      let figures: [String: Figure] = [
        "largestDistance": .number(Swift.max(loops.furthest, others.furthest)),
        "shareOnJumps": .number(onJumps), "shareUnbounded": .number(shareUnbounded.all),
        "numbers": .count(numbers),
      ]
      let notFinite = share(loops.notFinite + others.notFinite)
      let reach = Verification.rounded(loops.furthestReach)
      let rest =
        "\(Verification.percent(onJumps)) on a jump"
        + (notFinite == 0 ? "" : ", \(Verification.percent(notFinite)) not finite, as may be")
        + (far == 0 ? "" : ", \(Verification.percent(far)) that roundings alone may lead \(reach) away")
        + (others.numbers == 0 ? "" : ", \(Verification.percent(shareUnbounded.others)) unbounded")
      guard onJumps + far <= Self.mostOnJumps, shareUnbounded.others <= Self.mostUnbounded else {
        let reason = far > Self.mostOnJumps ? "roundings alone may lead \(reach) away" : rest
        return Finding(.tried, name, .idle, "little to compare: \(reason)", figures)
      }
      let precision = " of double precision"
      var kinds = loops.numbers == 0 ? [] : ["recurrent, " + loops.sentence(precision)]
      if others.numbers > 0 {
        kinds.append(kinds.isEmpty ? others.sentence(precision) : "the others " + others.sentence(""))
      }
      return Finding(.tried, name, .holds, (kinds + [rest]).joined(separator: "; "), figures)
    }

    /// The share of numbers that may be of either side of a jump, or anywhere, in a comparison that says something.
    private static let mostOnJumps = 0.5
    /// The same of numbers that may be anything.
    private static let mostUnbounded = 0.01
  }
}
