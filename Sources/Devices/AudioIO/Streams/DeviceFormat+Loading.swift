// SPDX-License-Identifier: Apache-2.0

extension DeviceFormat {
  /// Turns `count` of a device's samples into floats, full scale being ±1.
  ///
  ///     float = integer / 2^(bits - 1)
  ///
  /// That is exact up to 24 bits; of 32 bits the float keeps the upper 24, rounded half to even. Floats stay as they
  /// are, but for what is no finite number, which becomes silence: a filter would never forget it.
  @_noLocks func load(
    _ area: SampleArea, count: Int, into row: UnsafeMutablePointer<Float>, _ tally: inout SampleTally
  ) {
    guard count > 0 else { return }
    var watch = SampleWatch()
    // Loops with a stride that is known become vector code.
    switch self {
    case .float:
      let source = unsafe area.base.assumingMemoryBound(to: Float.self)
      switch unsafe area.stride / 4 {
      case 1: for index in 0..<count { unsafe row[index] = watch.look(at: source[index]) }
      case 2: for index in 0..<count { unsafe row[index] = watch.look(at: source[2 &* index]) }
      case let step:
        for index in 0..<count { unsafe row[index] = source[step &* index] }
        for index in 0..<count { unsafe row[index] = watch.look(at: row[index]) }
      }
    case .int32:
      let source = unsafe area.base.assumingMemoryBound(to: Int32.self)
      let step = unsafe area.stride / 4
      unsafe Self.load(source, step, count, shift: 0, highest: .max, into: row, &watch)
    case .int24:
      // The fourth byte does not count.
      let source = unsafe area.base.assumingMemoryBound(to: Int32.self)
      let step = unsafe area.stride / 4
      unsafe Self.load(source, step, count, shift: 8, highest: 0x7FFF_FF00, into: row, &watch)
    case .int24Packed:
      unsafe Self.loadPacked(area, count, into: row, &watch)
    case .int16:
      let source = unsafe area.base.assumingMemoryBound(to: Int16.self)
      switch unsafe area.stride / 2 {
      case 1: for index in 0..<count { unsafe row[index] = watch.look(atHalf: source[index]) }
      case 2: for index in 0..<count { unsafe row[index] = watch.look(atHalf: source[2 &* index]) }
      case let step:
        for index in 0..<count { unsafe row[index] = Self.kept(Int32(source[step &* index]) &<< 16) }
        unsafe Self.loadKept(row, count, highest: 0x7FFF_0000, &watch)
      }
    }
    tally.add(watch)
  }

  @inline(__always)
  @_noLocks private static func load(
    _ source: UnsafePointer<Int32>, _ step: Int, _ count: Int, shift: Int32, highest: Int32,
    into row: UnsafeMutablePointer<Float>, _ watch: inout SampleWatch
  ) {
    switch step {
    case 1:
      for index in 0..<count {
        unsafe row[index] = watch.look(at: source[index] &<< shift, highest: highest)
      }
    case 2:
      for index in 0..<count {
        unsafe row[index] = watch.look(at: source[2 &* index] &<< shift, highest: highest)
      }
    case _:
      for index in 0..<count { unsafe row[index] = kept(source[step &* index] &<< shift) }
      unsafe loadKept(row, count, highest: highest, &watch)
    }
  }

  /// Three bytes are read as the lower ones of four, but for the last sample, behind which there may be nothing.
  @inline(__always)
  @_noLocks private static func loadPacked(
    _ area: SampleArea, _ count: Int, into row: UnsafeMutablePointer<Float>, _ watch: inout SampleWatch
  ) {
    let stride = unsafe area.stride
    var place = unsafe UnsafeRawPointer(area.base)
    for index in 0..<(count - 1) {
      let integer = unsafe place.loadUnaligned(as: Int32.self) &<< 8
      unsafe row[index] = kept(integer)
      unsafe place += stride
    }
    let bytes = unsafe place.assumingMemoryBound(to: UInt8.self)
    let low = unsafe UInt32(bytes[0]) << 8 | UInt32(bytes[1]) << 16
    unsafe row[count - 1] = kept(Int32(bitPattern: low | UInt32(bytes[2]) << 24))
    unsafe loadKept(row, count, highest: 0x7FFF_FF00, &watch)
  }

  /// An integer's bits on their way: samples that do not stand side by side are brought together in the row first, so
  /// that what follows is vector code.
  @inline(__always)
  @_noLocks private static func kept(_ integer: Int32) -> Float {
    Float(bitPattern: UInt32(bitPattern: integer))
  }

  @inline(__always)
  @_noLocks private static func loadKept(
    _ row: UnsafeMutablePointer<Float>, _ count: Int, highest: Int32, _ watch: inout SampleWatch
  ) {
    for index in 0..<count {
      unsafe row[index] = watch.look(at: Int32(bitPattern: row[index].bitPattern), highest: highest)
    }
  }
}

extension SampleWatch {
  @inline(__always)
  @_noLocks fileprivate mutating func look(atHalf integer: Int16) -> Float {
    look(at: Int32(integer) &<< 16, highest: 0x7FFF_0000)
  }
}
