// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Numbers from places that are computed: delays by a signal, and positions by an index; and noise.
extension KernelEmitter {
  /// The lanes that an indexed access reads.
  ///
  /// - Parameters:
  ///   - value: What it is.
  ///   - number: The index.
  ///   - isSteady: Whether that is one number in all frames.
  ///   - place: The address of the walk.
  func indexed(
    _ value: ValueID, _ access: Access, by number: Lanes, isSteady: Bool, _ place: String,
    at position: StagePosition
  ) -> Lanes {
    switch access.index?.reach {
    case .frames(let tap):
      return tapped(value, access, tap, by: number, isSteady: isSteady, place, at: position)
    case .positions(let count, let stride):
      let distance = stride * rowLength(of: access)
      return picked(access, number, of: count, distance, isSteady: isSteady, place, at: position)
    case nil:
      preconditionFailure("a walk without an index")
    }
  }

  /// Floats from a number of a place to the next one.
  private func rowLength(of access: Access) -> Int {
    guard case .buffer(let id) = access.location else { return 1 }
    switch plan.kernelGraph.buffers[id.index].extent {
    case .rows: return Plan.tileFrames
    case .elements, .columns: return 1
    }
  }

  /// The numbers at positions that an index gives, with a stride in floats. See `Op.gather`.
  ///
  /// Whatever the index is, in lanes behind the end as well, it is kept within the axis before it is an address.
  private func picked(
    _ access: Access, _ index: Lanes, of count: Int, _ distance: Int, isSteady: Bool, _ place: String,
    at position: StagePosition
  ) -> Lanes {
    let last = builder.constant(Float(count - 1))
    let kept = builder.floor(builder.smaller(builder.maximum(index, builder.constant(0)), last))
    if isSteady {
      let number = builder.define("fptosi float \(builder.extracted(kept, 0)) to i64")
      return load(access, builder.address(place, floats: multiply(number, distance)), at: position)
    }
    let further = builder.binary(
      "mul", builder.convert("fptosi", kept, to: .i32), builder.constant(int32: Int32(distance)))
    let first = access.innerStride == 0 ? "0" : multiply(position.index, access.innerStride)
    let start = builder.address(place, floats: first)
    guard access.innerStride == 1 else { return builder.gather(start, further, vectors: position.vectors) }
    let own = builder.consecutive(from: "0", vectors: position.vectors)
    return builder.gather(start, builder.binary("add", further, own), vectors: position.vectors)
  }

  /// The numbers of a history at delays that a signal gives. See `Tap`.
  ///
  /// - Parameters:
  ///   - value: What they are.
  ///   - amount: The delay in frames.
  ///   - isSteady: Whether that is one number in all frames: then the numbers are a row of the ring.
  ///   - ring: The address of the ring.
  private func tapped(
    _ value: ValueID, _ access: Access, _ tap: Tap, by amount: Lanes, isSteady: Bool, _ ring: String,
    at position: StagePosition
  ) -> Lanes {
    guard case .history(let id) = access.location else {
      preconditionFailure("a delay that reads no history")
    }
    let (least, most) = (builder.constant(Float(tap.minimum)), builder.constant(Float(tap.maximum)))
    let kept = builder.smaller(builder.maximum(amount, least), most)
    let outside = builder.compare("une", amount, kept)
    if isSteady {
      builder.when(builder.extracted(outside, 0)) { count(value, where: outside, at: position) }
    } else {
      count(value, where: outside, at: position)
    }
    let whole = builder.floor(kept)
    let capacity = plan.layout.histories[id.index].capacity
    func past(_ more: Float) -> Lanes {
      let distance: Lanes
      switch more {
      case 0: distance = whole
      case ..<0: distance = builder.larger(builder.add(whole, builder.constant(more)), least)
      case _: distance = builder.smaller(builder.add(whole, builder.constant(more)), most)
      }
      return isSteady
        ? row(of: ring, capacity, back: builder.extracted(distance, 0), at: position)
        : gathered(from: ring, capacity, back: distance, at: position)
    }
    let a = past(0)
    switch tap.interpolation {
    case .none:
      return a
    case .linear:
      return builder.fma(builder.subtract(kept, whole), builder.subtract(past(1), a), a)
    case .cubic:
      let (share, b, before, behind) = (builder.subtract(kept, whole), past(1), past(-1), past(2))
      let first = builder.multiply(builder.subtract(b, before), builder.constant(0.5))
      let twice = builder.fma(b, builder.constant(2), builder.fma(a, builder.constant(-2.5), before))
      let second = builder.fma(behind, builder.constant(-0.5), twice)
      let slope = builder.multiply(builder.subtract(a, b), builder.constant(1.5))
      let third = builder.fma(builder.subtract(behind, before), builder.constant(0.5), slope)
      return builder.fma(share, builder.fma(share, builder.fma(share, third, second), first), a)
    }
  }

  /// The numbers of a ring at one delay: a row of it.
  private func row(of ring: String, _ capacity: Int, back distance: String, at position: StagePosition)
    -> Lanes
  {
    let past = builder.define(
      "sub i64 \(stretch.position), \(builder.define("fptosi float \(distance) to i64"))")
    let first = builder.define("and i64 \(past), \(capacity - 1)")
    return builder.load(builder.address(ring, floats: first), at: position)
  }

  /// The numbers of a ring at the delay of each lane.
  private func gathered(from ring: String, _ capacity: Int, back distance: Lanes, at position: StagePosition)
    -> Lanes
  {
    let place = builder.binary("sub", frameBits(at: position), builder.convert("fptosi", distance, to: .i32))
    let mask = builder.constant(int32: Int32(capacity - 1))
    return builder.gather(ring, builder.binary("and", place, mask), vectors: position.vectors)
  }

  /// Adds to the count of a delay by a signal how many of its numbers were asked for outside of its range.
  ///
  ///     outside   0 0 1 1 0 1 0 0   →  bits of one integer  →  count += 3
  ///
  /// Within it nothing branches; it goes vector by vector, and of the last one only what its mask leaves counts.
  private func count(_ value: ValueID, where outside: Lanes, at position: StagePosition) {
    guard let offset = plan.countOffsets[value] else { preconditionFailure("a delay without a count") }
    let width = builder.width
    let place = builder.address("%workspace", bytes: String(offset))
    let (bits, mask) = ("i\(width)", Lanes.type(.i1, width: width))
    builder.forEachVector(position.vectors) { vector in
      var found = outside[vector]
      if let existing = position.mask(of: vector) {
        found = builder.define("and \(mask) \(found), \(existing)")
      }
      if width > 1 {
        builder.declare("declare \(bits) @llvm.ctpop.\(bits)(\(bits))")
        let all = builder.define("bitcast \(mask) \(found) to \(bits)")
        found = builder.define("call \(bits) @llvm.ctpop.\(bits)(\(bits) \(all))")
      }
      let more = builder.define("zext \(bits) \(found) to i64")
      let before = builder.define("load i64, ptr \(place), align 8")
      builder.line("store i64 \(builder.define("add i64 \(before), \(more)")), ptr \(place), align 8")
    }
  }

  /// White noise. See `WhiteNoise`.
  func noise(seed: Int, at position: StagePosition) -> Lanes {
    let (first, second) = WhiteNoise.multipliers
    func bits(_ number: UInt32) -> Lanes { builder.constant(int32: Int32(bitPattern: number)) }
    func folded(_ x: Lanes, _ count: Int32) -> Lanes {
      builder.binary("xor", x, builder.binary("lshr", x, builder.constant(int32: count)))
    }
    // A tile does not go beyond a multiple of 2^32 frames: the upper half is the same for all of it.
    let start = builder.define("add i64 \(stretch.position), \(position.index)")
    let upper = builder.define("trunc i64 \(builder.define("lshr i64 \(start), 32")) to i32")
    let later = builder.define("mul i32 \(upper), \(Int32(bitPattern: WhiteNoise.later))")
    let key = builder.define("xor i32 \(later), \(Int32(bitPattern: WhiteNoise.key(seed: seed)))")
    let mixed = builder.binary("mul", folded(frameBits(at: position), 16), bits(first))
    let seeded = folded(builder.binary("xor", mixed, builder.broadcast(key, .i32)), 15)
    let last = folded(builder.binary("mul", seeded, bits(second)), 16)
    let number = builder.convert(
      "sitofp", builder.binary("lshr", last, builder.constant(int32: 8)), to: .float)
    return builder.subtract(builder.multiply(number, builder.constant(0x1p-23)), builder.constant(1))
  }

  /// The lower halves of the frames' places in the stream.
  private func frameBits(at position: StagePosition) -> Lanes {
    let start = builder.define("add i64 \(stretch.position), \(position.index)")
    let first = builder.define("trunc i64 \(start) to i32")
    return builder.consecutive(from: first, vectors: position.vectors)
  }
}
