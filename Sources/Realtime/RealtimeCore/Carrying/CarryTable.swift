// SPDX-License-Identifier: Apache-2.0

/// Parameters and histories that a context can take over from another program's, sorted by key: two tables
/// are compared in one walk.
@safe struct CarryTable: ~Copyable {
  /// A parameter, by its position.
  struct Parameter {
    let key: CarryKey
    let index: Int
  }

  let histories: UnsafeMutableBufferPointer<HistoryRing>
  let parameters: UnsafeMutableBufferPointer<Parameter>

  init(_ layout: ProgramLayout, in workspace: UnsafeMutableRawPointer) {
    var rings = unsafe layout.histories.map { unsafe HistoryRing($0, of: layout, in: workspace) }
    unsafe rings.sort { unsafe $0.key < $1.key }
    unsafe histories = .allocate(capacity: rings.count)
    unsafe _ = histories.initialize(fromContentsOf: rings)
    let keys = layout.parameters.enumerated().map { Parameter(key: CarryKey($1.name), index: $0) }
    unsafe parameters = .allocate(capacity: keys.count)
    unsafe _ = parameters.initialize(fromContentsOf: keys.sorted { $0.key < $1.key })
  }

  deinit {
    unsafe histories.deallocate()
    unsafe parameters.deallocate()
  }
}
