// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The fault of the silence that runs before the first frame, as a sentence: it takes longer than anybody waits.
  ///
  /// Moving and remembering numbers is work, too.
  package var warmingProblem: String? {
    guard prewarm <= Limits.prewarm else {
      return "all models together warm up for \(prewarm) frames; \(Limits.prewarm) are the most"
    }
    let operations = operationsPerFrame
    let (all, overflows) = operations.multipliedReportingOverflow(by: prewarm)
    guard overflows || all > Limits.warmingOperations else { return nil }
    return "warming up takes \(prewarm) frames of \(operations) operations each; "
      + "\(Limits.warmingOperations) operations are the most"
  }
}
