// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The bytes that a part of a file was deflated from, inflated as far as they are asked for.
@safe final class Inflation {
  private let reader: FileReader
  /// The bytes of the file that have not been read.
  private var rest: Range<Int>
  private let stream: UnsafeMutablePointer<z_stream>
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var isAtEnd = false

  init(_ reader: FileReader, _ range: Range<Int>) {
    (self.reader, rest) = (reader, range)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Without a header, as archives have it.
    let code = unsafe inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib has another version than its header, or no memory")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe chunk.deallocate()
  }

  /// Fills memory with what comes next.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(FileReader.Failure) {
    guard try unsafe part(memory) == memory.count else {
      throw FileReader.Failure(message: "is damaged: it has fewer bytes than the archive says")
    }
  }

  /// Checks that there is nothing more.
  func end() throws(FileReader.Failure) {
    var byte: UInt8 = 0
    let count = try unsafe withUnsafeMutableBytes(of: &byte) { memory throws(FileReader.Failure) in
      try unsafe part(memory)
    }
    guard count == 0, rest.isEmpty, unsafe stream.pointee.avail_in == 0 else {
      throw FileReader.Failure(message: "is damaged: it has more bytes than the archive says")
    }
  }

  /// Fills memory up to the end of the stream, and says how much that is.
  private func part(_ memory: UnsafeMutableRawBufferPointer) throws(FileReader.Failure) -> Int {
    unsafe stream.pointee.next_out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(memory.count)
    while unsafe stream.pointee.avail_out > 0, !isAtEnd {
      if unsafe stream.pointee.avail_in == 0 {
        let count = unsafe min(chunk.count, rest.count)
        try unsafe reader.read(
          from: rest.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: chunk[..<count]))
        rest.removeFirst(count)
        unsafe stream.pointee.next_in = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = UInt32(count)
      }
      switch unsafe inflate(stream, Z_NO_FLUSH) {
      case Z_OK: break
      case Z_STREAM_END: isAtEnd = true
      case Z_BUF_ERROR: throw FileReader.Failure(message: "is cut off: what was deflated has no end")
      case _: throw FileReader.Failure(message: "is damaged: it cannot be inflated")
      }
    }
    return unsafe memory.count - Int(stream.pointee.avail_out)
  }
}
