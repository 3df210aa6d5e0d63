// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Lines of many frames turn the determinant often; but where the response is quieter than 1, whatever the lines are,
/// its angle is that of a series that converges. So only the bands that are louder are walked through step by step, and
/// what they turn more than that series would is what counts (Nyquist's criterion, 1932). Mostly a look around their
/// loudest places is enough.
extension LoopStability {
  /// Frequencies where the response may be louder than 1.
  private struct Band {
    var range: ClosedRange<Double>
    var loudest: (place: Double, level: Double)
  }

  /// Of so many frequencies of a band it is looked which grows most, twice.
  private static let mostPlaces = 100

  /// What grows with the help of lines, where filters do not alone. What takes too long to walk through is only looked
  /// at where it is loudest, where it stands still, and at half the sample rate.
  var growthOfLines: LoopGrowth? {
    let ends = [0, .pi].filter { determinant($0).real < 0 }
    let bands = loudBands
    var places = ends + bands.flatMap { growing(around: $0.loudest.place, $0.loudest.level) }
    if places.isEmpty { places = bands.flatMap { growing(in: $0.range) } }
    let growths = places.map(growth)
    // Where many grow alike, the lowest is told.
    let most = growths.map(\.gain).max()
    return growths.first { $0.gain >= most! * (1 - Self.margin) }.map {
      growth(at: lowest(around: $0.frequency))
    }
  }

  private func walkOfFilters(_ arc: ClosedRange<Double>, tolerance: Double) -> PhaseWalk? {
    PhaseWalk(arc, step: 4 * tolerance / Double(part.degreeOfResponse), tolerance: tolerance) {
      part.determinantOfFilters(radius: radius, angle: $0)
    }
  }

  private var loudBands: [Band] {
    guard .pi * Double(part.degreeOfResponse * 8) * part.work < Self.mostWork,
      let filters = walkOfFilters(0 ... .pi, tolerance: 0.15)
    else { return [] }
    let places = filters.samples.map(\.place)
    let levels = places.map { part.response(radius: radius, angle: $0).loudestWay }
    var bands: [Band] = []
    for (start, end) in zip(places.indices, places.indices.dropFirst()) {
      let (before, behind) = (levels[start], levels[end])
      // In between it may be louder by as much as it changes.
      guard max(before, behind) + abs(before - behind) > 1 + Self.margin else { continue }
      let louder = before >= behind ? start : end
      var band = Band(range: places[start]...places[end], loudest: (places[louder], levels[louder]))
      if let last = bands.last, last.range.upperBound == places[start] {
        band.range = last.range.lowerBound...places[end]
        if last.loudest.level >= band.loudest.level { band.loudest = last.loudest }
        bands.removeLast()
      }
      bands.append(band)
    }
    return bands
  }

  // MARK: Zeros

  /// Frequencies around a loud place of which some grow; none where no zero lies near it.
  private func growing(around place: Double, _ level: Double) -> [Double] {
    // The angle of the longest line comes around once on each side.
    let reach = 2 * .pi / Double(part.longestLine)
    let inner = LoopStability(part, radius: radius * pow(2 * max(level, 1), -1 / Double(part.shortestLine)))
    let arc = place - reach...place + reach
    let rays = log(inner.radius)...log(radius)
    guard let outside = walk(arc), let inside = inner.walk(arc),
      let first = walk(along: arc.lowerBound, rays), let last = walk(along: arc.upperBound, rays),
      outside.turn - last.turn - inside.turn + first.turn > .pi
    else { return [] }
    return inPhase(outside).filter((0 ... .pi).contains)
  }

  /// Frequencies in a band of which some grow; none where nothing does.
  private func growing(in band: ClosedRange<Double>) -> [Double] {
    guard let walk = walk(band), let filters = walkOfFilters(band, tolerance: 0.5),
      let start = quietAngle(at: band.lowerBound), let end = quietAngle(at: band.upperBound),
      walk.turn - filters.turn - (end - start) > .pi / 2
    else { return [] }
    return inPhase(walk)
  }

  /// The angle of the determinant of the lines where the response is quiet, as that of the series.
  private func quietAngle(at angle: Double) -> Double? {
    // Both halves of the circle meet here.
    guard angle > 0, angle < .pi else { return 0 }
    let heard = part.heard(radius: radius, angle: angle)
    return PhaseWalk(0...1, step: 0.25, tolerance: 0.5) { heard.determinantOfRest(scale: $0) }?.turn
  }

  // MARK: Gains

  /// 1 less what comes back, where there is one line.
  private func rest(at angle: Double) -> Double {
    (determinant(angle) / part.determinantOfFilters(radius: radius, angle: angle)).real
  }

  /// Where it is least, near a place, by golden sections.
  private func lowest(around angle: Double) -> Double {
    guard angle > 0, angle < .pi else { return angle }
    let reach = 1 / Double(part.degree)
    var (low, high) = (max(0, angle - reach), min(.pi, angle + reach))
    for _ in 0..<40 {
      let step = (high - low) * 0.381966
      if rest(at: low + step) < rest(at: high - step) { high -= step } else { low += step }
    }
    return (low + high) / 2
  }

  /// Where much of what comes back on an arc is in phase.
  private func inPhase(_ walk: PhaseWalk) -> [Double] {
    let rests = walk.samples.map { sample in
      (sample.value / part.determinantOfFilters(radius: radius, angle: sample.place)).real
    }
    let lowest = rests.indices.filter { place in
      (place == 0 || rests[place - 1] >= rests[place])
        && (place == rests.count - 1 || rests[place + 1] >= rests[place])
    }
    // Of one line the rest is least for the loudest. Of several it depends on how they meet.
    let least = lowest.sorted { rests[$0] < rests[$1] }.prefix(Self.mostPlaces)
    let others = stride(from: 0, to: lowest.count, by: lowest.count / Self.mostPlaces + 1).map { lowest[$0] }
    return (least + others).sorted().map { walk.samples[$0].place }
  }

  /// - Parameter angle: Where what comes back is in phase.
  private func growth(at angle: Double) -> LoopGrowth {
    let once = part.heard(radius: 1, angle: angle).spectralRadius
    let way = part.wayAround
    return LoopGrowth(frames: way.frames, gain: pow(once, Double(way.lines)), frequency: angle)
  }
}
