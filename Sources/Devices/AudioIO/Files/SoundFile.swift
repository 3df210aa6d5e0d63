// SPDX-License-Identifier: Apache-2.0

internal import CSndFile
internal import Glibc

/// One file that libsndfile has open. Closed at the latest when the last reference goes.
@safe final class SoundFile {
  let handle: OpaquePointer
  /// The file as libsndfile describes it.
  let info: SF_INFO
  /// The bytes that libsndfile reads; nil where it has the descriptor itself.
  private(set) var bytes: SoundBytes?
  private var isOpen = true

  /// The reason why libsndfile does not open a file.
  enum Refusal: Error {
    case unknownFormat
    case unsupportedEncoding
    case other(String)
  }

  /// Opens for reading, through the bytes, which stay as long as the file.
  convenience init(reading bytes: SoundBytes) throws(Refusal) {
    var functions = SoundBytes.functions
    func open(_ info: inout SF_INFO) -> OpaquePointer? {
      unsafe sf_open_virtual(&functions, Int32(SFM_READ), &info, bytes.target)
    }
    try unsafe self.init(
      SF_INFO(), open: { info in unsafe open(&info) },
      alone: { info in
        bytes.restart(length: bytes.length)
        return unsafe open(&info)
      })
    self.bytes = bytes
    bytes.pass()
  }

  /// Opens for reading. The descriptor is closed with the file, or at once where this throws: libsndfile closes
  /// it then even when it is told not to.
  convenience init(reading descriptor: Int32) throws(Refusal) {
    func open(_ descriptor: Int32, _ info: inout SF_INFO) -> OpaquePointer? {
      unsafe DecoderMessages.silenced {
        unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, Int32(SF_TRUE))
      }
    }
    let begin = lseek(descriptor, 0, SEEK_CUR)
    // A pipe can be opened once only.
    var second = begin < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { if second >= 0 { Glibc.close(second) } }
    if second < 0 {
      try unsafe self.init(SF_INFO(), open: nil, alone: { info in unsafe open(descriptor, &info) })
    } else {
      try unsafe self.init(
        SF_INFO(), open: { info in unsafe open(descriptor, &info) },
        alone: { info in
          lseek(second, begin, SEEK_SET)
          defer { second = -1 }
          return unsafe open(second, &info)
        })
    }
  }

  /// Opens for writing, through functions that take `target`.
  convenience init(
    writing info: SF_INFO, through functions: SF_VIRTUAL_IO, target: UnsafeMutableRawPointer
  ) throws(Refusal) {
    var functions = functions
    func open(_ info: inout SF_INFO) -> OpaquePointer? {
      unsafe sf_open_virtual(&functions, Int32(SFM_WRITE), &info, target)
    }
    try unsafe self.init(
      info, open: { info in unsafe open(&info) },
      alone: { info in
        _ = unsafe functions.seek(0, SEEK_SET, target)
        return unsafe open(&info)
      })
  }

  /// - Parameters:
  ///   - open: opens among others; nil where the file can be opened once only.
  ///   - alone: opens where `open` has not; says why it cannot.
  private init(
    _ info: SF_INFO, open: ((inout SF_INFO) -> OpaquePointer?)?,
    alone: (inout SF_INFO) -> OpaquePointer?
  ) throws(Refusal) {
    var found = info
    var refusal = Refusal.unknownFormat
    var opened: OpaquePointer?
    if let open = unsafe open { unsafe opened = Opening.amongOthers { unsafe open(&found) } }
    if unsafe opened == nil {
      Opening.alone {
        found = info
        unsafe opened = alone(&found)
        guard unsafe opened == nil else { return }
        switch sf_error(nil) {
        case Int32(SF_ERR_UNRECOGNISED_FORMAT): refusal = .unknownFormat
        case Int32(SF_ERR_UNSUPPORTED_ENCODING): refusal = .unsupportedEncoding
        case _: refusal = .other(unsafe Self.sentence(sf_strerror(nil)))
        }
      }
    }
    guard let opened = unsafe opened else { throw refusal }
    unsafe handle = opened
    self.info = found
  }

  deinit {
    close()
  }

  /// Reads up to so many interleaved frames; 0 at the end.
  func read(_ frames: Int, into samples: UnsafeMutablePointer<Float>) -> Int {
    quietly { unsafe Int(sf_readf_float(handle, samples, sf_count_t(frames))) }
  }

  /// Goes to a frame; false where that cannot be.
  func seek(to frame: Int) -> Bool {
    quietly { unsafe sf_seek(handle, sf_count_t(frame), SEEK_SET) == frame }
  }

  private func quietly<Result>(_ body: () -> Result) -> Result {
    Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG ? DecoderMessages.silenced(body) : body()
  }

  /// Writes the header as it stands.
  func writeHeader() {
    unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
  }

  /// Writes what is outstanding and closes. Says what failed; nil where nothing did.
  @discardableResult
  func close() -> String? {
    guard isOpen else { return nil }
    isOpen = false
    let code = quietly { unsafe sf_close(handle) }
    return code == SF_ERR_NO_ERROR ? nil : unsafe Self.sentence(sf_error_number(code))
  }

  /// The fault of the open file; nil where there is none.
  var failure: String? {
    guard unsafe sf_error(handle) != SF_ERR_NO_ERROR else { return nil }
    return unsafe Self.sentence(sf_strerror(handle))
  }

  /// The lines that libsndfile noted while it opened the file.
  var log: String { unsafe withLog { unsafe String(cString: $0) } }

  /// Whether some words stand in the log: that is sooner said than the log is read.
  func logHolds(_ words: String) -> Bool { unsafe withLog { unsafe strstr($0, words) != nil } }

  private func withLog<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { text in
      let last = text.count - 1
      let count = unsafe sf_command(handle, Int32(SFC_GET_LOG_INFO), text.baseAddress!, Int32(last))
      unsafe text[max(0, min(Int(count), last))] = 0
      return unsafe body(text.baseAddress!)
    }
  }

  /// Whether the sound stands in Ogg pages.
  var isOgg: Bool { Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_OGG }

  /// The name of the file's type, without its samples' format.
  var typeName: String {
    var format = unsafe SF_FORMAT_INFO()
    unsafe format.format = info.format & Int32(SF_FORMAT_TYPEMASK)
    let size = Int32(unsafe MemoryLayout<SF_FORMAT_INFO>.size)
    guard unsafe sf_command(handle, Int32(SFC_GET_FORMAT_INFO), &format, size) == 0,
      let name = unsafe format.name
    else { return "unknown" }
    return unsafe String(cString: name)
  }

  /// "Error in WAV file. No 'data' chunk marker." → the same without its full stop.
  private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "unknown error" }
    var sentence = unsafe String(cString: text)
    while let last = sentence.last, last == "." || last.isWhitespace { sentence.removeLast() }
    return sentence
  }
}
