// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import LiveHost

/// The display of how it goes, on the thread that controls it.
protocol LiveDisplay: AnyObject {
  /// Seconds between two looks.
  var interval: Double { get }

  /// Takes the present reading.
  func show(_ reading: LiveReading) throws(Failure)
}
