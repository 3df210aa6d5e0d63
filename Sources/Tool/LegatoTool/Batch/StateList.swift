// SPDX-License-Identifier: Apache-2.0

/// What is known of each of very many items, a quarter of a byte each; and which of them are left to do.
///
///     items    free  whole  whole  free  replaced
///     tasks    0                   1     2
struct StateList: Sendable {
  enum State: UInt8 {
    case free, replaced, whole
  }

  private(set) var count = 0
  private(set) var wholeCount = 0
  private var bytes: [UInt8] = []
  /// The tasks before every so many items.
  private var marks: [Int] = []

  private static let stride = 1024

  mutating func append(_ state: State) {
    if count.isMultiple(of: Self.stride) { marks.append(count - wholeCount) }
    if count.isMultiple(of: 4) { bytes.append(0) }
    bytes[count / 4] |= state.rawValue << (UInt8(count % 4) * 2)
    count += 1
    if state == .whole { wholeCount += 1 }
  }

  subscript(item: Int) -> State {
    guard let state = State(rawValue: bytes[item / 4] >> (UInt8(item % 4) * 2) & 3) else {
      preconditionFailure("a state that was never appended")
    }
    return state
  }

  /// The item that a task is about.
  func item(ofTask task: Int) -> Int {
    precondition(task >= 0 && task < count - wholeCount, "there are fewer tasks")
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle] <= task { low = middle } else { high = middle }
    }
    var (item, left) = (low * Self.stride, task - marks[low])
    while true {
      if self[item] != .whole {
        if left == 0 { return item }
        left -= 1
      }
      item += 1
    }
  }
}
