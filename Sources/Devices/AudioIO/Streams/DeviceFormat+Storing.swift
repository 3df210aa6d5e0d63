// SPDX-License-Identifier: Apache-2.0

extension DeviceFormat {
  /// Writes `count` samples as the device's: the bits of floats, or integers that stand in the upper bits of 32.
  @_noLocks func store(_ samples: UnsafePointer<Int32>, count: Int, to area: SampleArea) {
    // Loops with a stride that is known become vector code.
    switch self {
    case .float, .int32:
      let target = unsafe area.base.assumingMemoryBound(to: Int32.self)
      switch unsafe area.stride / 4 {
      case 1: for index in 0..<count { unsafe target[index] = samples[index] }
      case let step: for index in 0..<count { unsafe target[step &* index] = samples[index] }
      }
    case .int24:
      // The fourth byte repeats the sign.
      let target = unsafe area.base.assumingMemoryBound(to: Int32.self)
      switch unsafe area.stride / 4 {
      case 1: for index in 0..<count { unsafe target[index] = samples[index] &>> 8 }
      case let step: for index in 0..<count { unsafe target[step &* index] = samples[index] &>> 8 }
      }
    case .int24Packed:
      let stride = unsafe area.stride
      var place = unsafe area.base.assumingMemoryBound(to: UInt8.self)
      for index in 0..<count {
        let bits = unsafe UInt32(bitPattern: samples[index])
        unsafe place[0] = UInt8(truncatingIfNeeded: bits &>> 8)
        unsafe place[1] = UInt8(truncatingIfNeeded: bits &>> 16)
        unsafe place[2] = UInt8(truncatingIfNeeded: bits &>> 24)
        unsafe place += stride
      }
    case .int16:
      let target = unsafe area.base.assumingMemoryBound(to: Int16.self)
      switch unsafe area.stride / 2 {
      case 1:
        for index in 0..<count { unsafe target[index] = Int16(truncatingIfNeeded: samples[index] &>> 16) }
      case let step:
        for index in 0..<count {
          unsafe target[step &* index] = Int16(truncatingIfNeeded: samples[index] &>> 16)
        }
      }
    }
  }
}
