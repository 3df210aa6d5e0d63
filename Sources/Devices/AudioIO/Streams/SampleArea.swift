// SPDX-License-Identifier: Apache-2.0

/// One channel's samples in memory that a device reads or writes: sample i at `base + i * stride`.
///
///     two channels of 16 bits
///     interleaved  a0a0 b0b0 a1a1 b1b1 …              stride 4, bases 0 and 2
///     planar       a0a0 a1a1 …         b0b0 b1b1 …    stride 2
@unsafe package struct SampleArea {
  package var base: UnsafeMutableRawPointer
  /// In bytes.
  package var stride: Int

  @_noLocks package init(base: UnsafeMutableRawPointer, stride: Int) {
    unsafe self.base = base
    unsafe self.stride = stride
  }

  /// The samples from the one numbered `index` on.
  @_noLocks package func from(_ index: Int) -> SampleArea {
    unsafe SampleArea(base: base + index * stride, stride: stride)
  }
}
