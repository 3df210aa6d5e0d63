// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR

extension DeviceError {
  /// What goes behind the line where no device has the name: which one was meant. A name that is listed is right,
  /// though its card is not there.
  func hint(among names: [String]) -> String {
    guard case .unknown = problem, !names.contains(device) else { return "" }
    let hint = nearestName(to: device, among: names).map { "did you mean \($0)?" }
    return "; " + (hint ?? "legato devices lists those that there are")
  }
}
