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

  /// Of so many frequencies of a band it is looked how loud they are, twice.
  private static let mostPlaces = 100

  /// The growth of a loop with its delay lines, where its filters alone are stable.
  ///
  /// A response that takes too long to walk through is only examined where it is loudest, at 0 and at half
  /// the sample rate.
  var growthOfLines: LoopGrowth? {
    let ends = [0, .pi].filter { determinant($0).real < 0 }
    guard .pi * Double(part.degreeOfResponse * 8) * part.workOfResponse < Self.mostWork else {
      guard let end = ends.first else { return nil }
      return loudest(from: ends) ?? LoopGrowth(frames: part.framesAround, gain: 1, frequency: end)
    }
    let bands = loudBands
    var places = ends + bands.flatMap { growing(around: $0.loudest.place, $0.loudest.level) }
    if places.isEmpty { places = growing(in: bands.map(\.range)) }
    guard !places.isEmpty else { return nil }
    let loud = places.map { (place: $0, level: part.feedback(radius: 1, angle: $0).spectralRadius) }
      .sorted { $0.level > $1.level }.map(\.place)
    let level = bands.map(\.loudest.level).max() ?? 1
    return loudest(from: ends + loud.prefix(Self.mostSearches), level: level)
      ?? LoopGrowth(frames: part.framesAround, gain: 1, frequency: loud[0])
  }

  private func walkOfFilters(_ arc: ClosedRange<Double>, tolerance: Double) -> PhaseWalk? {
    PhaseWalk(arc, step: 4 * tolerance / Double(part.degreeOfResponse), tolerance: tolerance) {
      part.determinantOfFilters(radius: radius, angle: $0)
    }
  }

  private func level(at angle: Double) -> Double {
    part.response(radius: radius, angle: angle).loudestWay
  }

  /// The loudest place of a peak, by golden sections.
  private func loudest(in peak: ClosedRange<Double>) -> Double {
    var (low, high) = (peak.lowerBound, peak.upperBound)
    for _ in 0..<30 {
      let step = (high - low) * 0.381966
      if level(at: low + step) > level(at: high - step) { high -= step } else { low += step }
    }
    return (low + high) / 2
  }

  private var loudBands: [Band] {
    guard let filters = walkOfFilters(0 ... .pi, tolerance: 0.15) else { return [] }
    var places = filters.samples.map(\.place)
    var levels = places.map(level)
    // A peak may stand between two of them.
    for middle in places.indices.dropFirst().dropLast() {
      let (before, here, behind) = (levels[middle - 1], levels[middle], levels[middle + 1])
      guard here > 0.9, here <= 1 + Self.margin, here >= max(before, behind),
        here > min(before, behind) * (1 + Self.margin)
      else { continue }
      places[middle] = loudest(in: places[middle - 1]...places[middle + 1])
      levels[middle] = level(at: places[middle])
    }
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
    // The angle of the longest line comes around on each side, and no part of it lies on the edges.
    let reach = 2.62 * .pi / Double(part.longestLine)
    let inner = LoopStability(part, radius: radius * pow(2 * max(level, 1), -1 / Double(part.shortestLine)))
    let arc = place - reach...place + reach
    let rays = log(inner.radius)...log(radius)
    guard let outside = walk(arc), let inside = inner.walk(arc),
      let first = walk(along: arc.lowerBound, rays), let last = walk(along: arc.upperBound, rays),
      outside.turn - last.turn - inside.turn + first.turn > .pi
    else { return [] }
    return inPhase(outside).filter((0 ... .pi).contains)
  }

  /// Frequencies in bands of which some grow; none where nothing does, or a walk through one takes too long.
  private func growing(in bands: [ClosedRange<Double>]) -> [Double] {
    var (turn, walks) = (0.0, [PhaseWalk]())
    for band in bands {
      guard let walk = walk(band), let filters = walkOfFilters(band, tolerance: 0.5),
        let start = quietAngle(at: band.lowerBound), let end = quietAngle(at: band.upperBound)
      else { return [] }
      turn += walk.turn - filters.turn - (end - start)
      walks.append(walk)
    }
    return turn > .pi / 2 ? walks.flatMap(inPhase) : []
  }

  /// The angle of the determinant of the lines where the response is quiet, as that of the series.
  private func quietAngle(at angle: Double) -> Double? {
    // Both halves of the circle meet here.
    guard angle > 0, angle < .pi else { return 0 }
    let feedback = part.feedback(radius: radius, angle: angle)
    return PhaseWalk(0...1, step: 0.25, tolerance: 0.5) { feedback.determinantOfRest(scale: $0) }?.turn
  }

  /// The angles of an arc where much of the feedback is in phase.
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
}
