// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealtimeCore
import TestEquipment
import Testing

@Suite("A ring of frames between two threads") struct SampleRingTests {
  /// Rows that count their frames: channel c holds `first + index + c * 1000000`.
  @safe private final class Rows {
    let frames: Int
    private let memory: [UnsafeMutablePointer<Float>]
    private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>

    init(channels: Int, frames: Int, from first: Int? = nil) {
      self.frames = frames
      unsafe memory = (0..<channels).map { channel in
        let row = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
        for index in 0..<frames {
          unsafe (row + index).initialize(to: first.map { Self.sample($0 + index, channel) } ?? -1)
        }
        return unsafe row
      }
      unsafe table = .allocate(capacity: channels)
      for channel in 0..<channels { unsafe table.initializeElement(at: channel, to: memory[channel]) }
    }

    deinit {
      for channel in unsafe memory.indices { unsafe memory[channel].deallocate() }
      unsafe table.deallocate()
    }

    /// Hands the rows over; they live at least as long as that takes.
    @safe func use<Result>(_ body: (UnsafeBufferPointer<UnsafeMutablePointer<Float>>) -> Result) -> Result {
      withExtendedLifetime(self) { unsafe body(UnsafeBufferPointer(table)) }
    }

    subscript(channel: Int) -> [Float] {
      unsafe Array(UnsafeBufferPointer(start: memory[channel], count: frames))
    }

    static func sample(_ frame: Int, _ channel: Int) -> Float { Float(frame % 100_000 + channel * 1_000_000) }
  }

  private func counted(_ frames: Range<Int>, _ channel: Int) -> [Float] {
    frames.map { Rows.sample($0, channel) }
  }

  @Test("any pieces, round and round: every frame once, in order, to the bit", arguments: [1, 2, 5])
  func pieces(_ channels: Int) throws {
    let ring = try SampleRing(channels: channels, capacity: 37)
    let (writer, reader) = (ring.writer, ring.reader)
    var random = SplitMix(seed: 7)
    var (written, read) = (0, 0)
    for _ in 0..<2000 {
      let more = Int(random.next() % 41)
      let fits = min(more, 37 - (written - read))
      #expect(writer.room == 37 - (written - read))
      // What does not fit is not offered: nothing is lost.
      let source = Rows(channels: channels, frames: fits + 3, from: written - 3)
      #expect(source.use { unsafe writer.write($0, from: 3, frames: fits) } == fits)
      written += fits
      let most = Int(random.next() % 41)
      let target = Rows(channels: channels, frames: most + 2)
      let count = target.use { unsafe reader.read(into: $0, at: 2, most: most) }
      #expect(count == min(most, written - read))
      for channel in 0..<channels {
        let rest = [Float](repeating: -1, count: most - count)
        #expect(target[channel] == [-1, -1] + counted(read..<read + count, channel) + rest)
      }
      read += count
      #expect(reader.available == written - read)
    }
    #expect(ring.lost == 0 && ring.missing == 0)
  }

  @Test("what does not fit is lost and counted, what fits is kept")
  func lost() throws {
    let ring = try SampleRing(channels: 2, capacity: 10)
    #expect(
      Rows(channels: 2, frames: 8, from: 0).use { unsafe ring.writer.write($0, from: 0, frames: 8) } == 8)
    #expect(
      Rows(channels: 2, frames: 8, from: 8).use { unsafe ring.writer.write($0, from: 0, frames: 8) } == 2)
    #expect(ring.lost == 6)
    let rows = Rows(channels: 2, frames: 10)
    #expect(rows.use { unsafe ring.reader.read(into: $0, at: 0, most: 10) } == 10)
    #expect(rows[0] == counted(0..<10, 0) && rows[1] == counted(0..<10, 1))
  }

  @Test("what is not there is silence, counted until the ring is closed")
  func missing() throws {
    let ring = try SampleRing(channels: 1, capacity: 10)
    let reader = ring.reader
    _ = Rows(channels: 1, frames: 3, from: 1).use { unsafe ring.writer.write($0, from: 0, frames: 3) }
    let rows = Rows(channels: 1, frames: 5)
    #expect(rows.use { unsafe reader.fill($0, frames: 5) } == 3)
    #expect(rows[0] == [1, 2, 3, 0, 0] && ring.missing == 2)
    _ = Rows(channels: 1, frames: 1, from: 4).use { unsafe ring.writer.write($0, from: 0, frames: 1) }
    ring.writer.close()
    #expect(!reader.isAtEnd)
    #expect(rows.use { unsafe reader.fill($0, frames: 5) } == 1)
    #expect(rows[0] == [4, 0, 0, 0, 0] && ring.missing == 2 && reader.isAtEnd)
  }

  @Test("its ends keep the ring alive")
  func lifetime() throws {
    let reader: SampleRing.Reader
    do {
      let ring = try SampleRing(channels: 1, capacity: 4)
      _ = Rows(channels: 1, frames: 4, from: 0).use { unsafe ring.writer.write($0, from: 0, frames: 4) }
      reader = ring.reader
    }
    #expect(reader.available == 4)
  }

  @Test("two threads at once: every frame arrives, once and in order")
  func threads() throws {
    let total = 200_000
    let ring = try SampleRing(channels: 2, capacity: 1000)
    let writer = ring.writer
    let thread = Thread {
      var random = SplitMix(seed: 1)
      var written = 0
      while written < total {
        let count = min(writer.room, total - written, 1 + Int(random.next() % 300))
        let rows = Rows(channels: 2, frames: count, from: written)
        written += rows.use { unsafe writer.write($0, from: 0, frames: count) }
      }
      writer.close()
    }
    thread.start()
    var read = 0
    var wrong = 0
    let reader = ring.reader
    while !reader.isAtEnd {
      let rows = Rows(channels: 2, frames: 257)
      let count = rows.use { unsafe reader.read(into: $0, at: 0, most: 257) }
      for channel in 0..<2 where Array(rows[channel].prefix(count)) != counted(read..<read + count, channel) {
        wrong += 1
      }
      read += count
    }
    #expect(read == total && wrong == 0 && ring.lost == 0)
  }
}
