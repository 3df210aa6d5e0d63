// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato
package import RealtimeCore

/// The output of a program for one period of a sine, in a context of its own.
///
///     sine ─▶ period, period, period, … ─▶ the same for as long as its state may remember: at rest
///
/// A change of a parameter begins anew. Filters and echoes need time until each period is like the one before; it is
/// taken a little at each look, so that the one who draws never waits for long. A program that never comes to rest is
/// shown as it was last. The output's latency is taken away.
package final class SinePreview {
  /// The frames of a period.
  package let period: Int
  package let hertz: Double
  package private(set) var output: [Float]
  package private(set) var isSettled = false
  package let input: [Float]

  private var driver: ContextDriver
  private let latency: Int
  private let mostFrames: Int
  /// More frames than any sound stays in the state without coming out.
  private let memory: Int
  private var parameters: [Parameter]
  private var frames = 0
  private var before: [Float] = []
  /// Frames for which each period was like the one before.
  private var equalFrames = 0

  /// The frequency of the sine, about: low enough that a period has enough frames.
  private static let aboutHertz = 220.0
  private static let level: Float = 0.8
  /// Seconds of sound after which a program is taken to have no rest.
  private static let mostSeconds = 4
  /// Differences that cannot be seen.
  private static let tolerance: Float = 1e-4

  /// - Parameter program: of a stream, with inputs and outputs; nil comes of any other, and where memory is short.
  package init?(_ program: Program, rate: Int) {
    let layout = program.layout
    guard layout.executesStream, !layout.inputs.isEmpty, !layout.outputs.isEmpty else { return nil }
    let length = max(8, Int((Double(rate) / Self.aboutHertz).rounded()))
    do throws(ContextError) { driver = try ContextDriver(program, frames: length) } catch { return nil }
    period = length
    hertz = Double(rate) / Double(length)
    mostFrames = rate * Self.mostSeconds
    latency = layout.latency
    memory = layout.stateRange.count / MemoryLayout<Float>.stride
    parameters = driver[0].parameters
    input = (0..<length).map { Self.level * Float(sin(2 * .pi * Double($0) / Double(length))) }
    output = Array(repeating: 0, count: length)
    driver.inputs.fill([[Float]](repeating: input, count: driver.inputs.count), from: 0, frames: length)
  }

  /// Sets the values of parameters, by name; where one differs, the wave begins anew.
  package func set(_ values: [(name: String, value: Float)]) {
    var changes = false
    for (name, value) in values {
      guard let parameter = parameters.first(where: { $0.name == name }), parameter.value != value else {
        continue
      }
      parameter.set(value)
      changes = true
    }
    guard changes || frames == 0 else { return }
    driver[0].reset()
    (frames, equalFrames, isSettled, before) = (0, 0, false, [])
  }

  /// Goes on until the output is at rest, or for about as long as is allowed.
  package func advance(atMost duration: Duration) {
    let start = ContinuousClock.now
    while !isSettled, frames < mostFrames {
      run()
      if ContinuousClock.now - start > duration { break }
    }
  }

  private func run() {
    driver.execute(period)
    frames += period
    let made = driver.output(0, frames: period)
    // With latency the outputs belong to an earlier period.
    let isEqual = !before.isEmpty && zip(made, before).allSatisfy { abs($0 - $1) <= Self.tolerance }
    equalFrames = isEqual ? equalFrames + period : 0
    isSettled = isEqual && equalFrames >= memory
    before = made
    let shift = latency % period
    output = Array(made[shift...] + made[..<shift])
  }
}
