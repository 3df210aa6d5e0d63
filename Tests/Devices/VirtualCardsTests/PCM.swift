// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import VirtualCards

/// A PCM through alsa-lib's own calls, with nothing of Legato's between; errors are what alsa-lib returns.
@safe final class PCM {
  /// The error that alsa-lib returned, and the call.
  struct Refusal: Error, Equatable {
    var call: String
    var code: Int32
  }

  private let stream: CardStream
  private let handle: OpaquePointer
  private(set) var period = 0
  private(set) var buffer = 0
  private(set) var format = CardFormat.integer16
  private(set) var channels = 0
  private var access = SND_PCM_ACCESS_RW_INTERLEAVED

  init(_ name: String, _ stream: CardStream) throws {
    self.stream = stream
    var opened: OpaquePointer?
    let direction = stream == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    try Self.check("open", unsafe snd_pcm_open(&opened, name, direction, SND_PCM_NONBLOCK))
    guard let opened = unsafe opened else { preconditionFailure("what was opened has a handle") }
    unsafe handle = opened
  }

  /// Opens a stream of a card, and agrees on 16 bits, two channels, periods of 1024 frames, of which its buffer has
  /// four.
  convenience init(ready card: VirtualCard, _ stream: CardStream) throws {
    try self.init(card.name, stream)
    try set()
  }

  /// The same, and starts it; playback with a buffer full of silence.
  convenience init(started card: VirtualCard, _ stream: CardStream) throws {
    try self.init(ready: card, stream)
    try begin()
  }

  deinit { unsafe snd_pcm_close(handle) }

  static func check(_ call: String, _ code: some BinaryInteger) throws {
    if code < 0 { throw Refusal(call: call, code: Int32(code)) }
  }

  /// Agrees on all that a program agrees on; the stream starts when it is told to.
  func set(
    _ format: CardFormat = .integer16, channels: Int = 2, rate: Int = 48000, period: Int = 1024,
    periods: Int = 4, access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED
  ) throws {
    var hardware: OpaquePointer?
    try Self.check("malloc", unsafe snd_pcm_hw_params_malloc(&hardware))
    defer { unsafe snd_pcm_hw_params_free(hardware) }
    try Self.check("any", unsafe snd_pcm_hw_params_any(handle, hardware))
    try Self.check("resample", unsafe snd_pcm_hw_params_set_rate_resample(handle, hardware, 0))
    try Self.check("access", unsafe snd_pcm_hw_params_set_access(handle, hardware, access))
    let value = unsafe snd_pcm_format_value(format.rawValue)
    try Self.check("format", unsafe snd_pcm_hw_params_set_format(handle, hardware, value))
    try Self.check("channels", unsafe snd_pcm_hw_params_set_channels(handle, hardware, UInt32(channels)))
    try Self.check("rate", unsafe snd_pcm_hw_params_set_rate(handle, hardware, UInt32(rate), 0))
    try Self.check("period", unsafe snd_pcm_hw_params_set_period_size(handle, hardware, UInt(period), 0))
    try Self.check(
      "buffer", unsafe snd_pcm_hw_params_set_buffer_size(handle, hardware, UInt(period * periods)))
    try Self.check("hw_params", unsafe snd_pcm_hw_params(handle, hardware))
    var software: OpaquePointer?
    try Self.check("malloc", unsafe snd_pcm_sw_params_malloc(&software))
    defer { unsafe snd_pcm_sw_params_free(software) }
    try Self.check("current", unsafe snd_pcm_sw_params_current(handle, software))
    try Self.check(
      "threshold", unsafe snd_pcm_sw_params_set_start_threshold(handle, software, UInt(Int32.max)))
    try Self.check("avail_min", unsafe snd_pcm_sw_params_set_avail_min(handle, software, UInt(period)))
    try Self.check("sw_params", unsafe snd_pcm_sw_params(handle, software))
    self.period = period
    buffer = period * periods
    self.format = format
    self.channels = channels
    self.access = access
  }

  var state: snd_pcm_state_t { unsafe snd_pcm_state(handle) }

  func prepare() throws { try Self.check("prepare", unsafe snd_pcm_prepare(handle)) }
  func start() throws { try Self.check("start", unsafe snd_pcm_start(handle)) }
  func resume() throws { try Self.check("resume", unsafe snd_pcm_resume(handle)) }
  func drop() throws { try Self.check("drop", unsafe snd_pcm_drop(handle)) }

  /// Plays what was written to its end. Some versions of alsa-lib wait here, others say that it is under way.
  func drain() throws {
    for _ in 0..<1000 {
      let code = unsafe snd_pcm_drain(handle)
      if code != -EAGAIN { return try Self.check("drain", code) }
      _ = waitUntilReady()
    }
  }

  /// Starts; playback with a buffer full of silence.
  func begin() throws {
    if stream == .playback { _ = try write([Double](repeating: 0, count: buffer * channels)).get() }
    try start()
  }

  /// The frames that can be transferred now.
  var available: Int { unsafe snd_pcm_avail(handle) }

  func link(_ other: PCM) throws { try Self.check("link", unsafe snd_pcm_link(handle, other.handle)) }

  /// Polls once, and gives what alsa-lib makes of it: 0 where a point of the other stream came first; nil where the
  /// time ran out.
  func wait(milliseconds: Int32 = 10_000) -> Int32? {
    var descriptor = pollfd()
    unsafe snd_pcm_poll_descriptors(handle, &descriptor, 1)
    if unsafe poll(&descriptor, 1, milliseconds) <= 0 { return nil }
    var events: UInt16 = 0
    unsafe snd_pcm_poll_descriptors_revents(handle, &descriptor, 1, &events)
    return Int32(events)
  }

  /// Polls until there is something; nil where that does not come.
  func waitUntilReady() -> Int32? {
    for _ in 0..<1000 {
      guard let events = wait() else { return nil }
      if events != 0 { return events }
    }
    return nil
  }

  /// Polls, and transfers nothing, until the stream has stopped, and gives its state then.
  @discardableResult
  func waitUntilStopped() -> snd_pcm_state_t {
    for _ in 0..<1000 {
      if state != SND_PCM_STATE_RUNNING || waitUntilReady() == nil { break }
    }
    return state
  }

  /// Frames of samples, one channel after the other in each; the code of what went wrong instead.
  func read(_ frames: Int) -> Result<[Double], Refusal> {
    var bytes = [UInt8](repeating: 0, count: frames * channels * format.width)
    let row = frames * format.width
    let count = unsafe bytes.withUnsafeMutableBytes { memory in
      let first = memory.baseAddress
      var rows = unsafe (0..<channels).map { unsafe first?.advanced(by: $0 * row) }
      return switch access {
      case SND_PCM_ACCESS_RW_NONINTERLEAVED: unsafe snd_pcm_readn(handle, &rows, UInt(frames))
      case SND_PCM_ACCESS_MMAP_INTERLEAVED: unsafe snd_pcm_mmap_readi(handle, first, UInt(frames))
      case SND_PCM_ACCESS_MMAP_NONINTERLEAVED: unsafe snd_pcm_mmap_readn(handle, &rows, UInt(frames))
      default: unsafe snd_pcm_readi(handle, first, UInt(frames))
      }
    }
    if count < 0 { return .failure(Refusal(call: "read", code: Int32(count))) }
    return .success(
      (0..<count * channels).map { sample in
        let (frame, channel) = sample.quotientAndRemainder(dividingBy: channels)
        let place = isPlanar ? channel * row + frame * format.width : sample * format.width
        return format.sample(bytes, at: place)
      })
  }

  /// Writes frames, and gives how many there was room for.
  @discardableResult
  func write(_ samples: [Double]) -> Result<Int, Refusal> {
    let frames = samples.count / channels
    let row = frames * format.width
    var bytes: [UInt8] = []
    if isPlanar {
      for channel in 0..<channels {
        for frame in 0..<frames { format.append(samples[frame * channels + channel], to: &bytes) }
      }
    } else {
      for sample in samples { format.append(sample, to: &bytes) }
    }
    let count = unsafe bytes.withUnsafeMutableBytes { memory in
      let first = memory.baseAddress
      var rows = unsafe (0..<channels).map { unsafe first?.advanced(by: $0 * row) }
      return switch access {
      case SND_PCM_ACCESS_RW_NONINTERLEAVED: unsafe snd_pcm_writen(handle, &rows, UInt(frames))
      case SND_PCM_ACCESS_MMAP_INTERLEAVED: unsafe snd_pcm_mmap_writei(handle, first, UInt(frames))
      case SND_PCM_ACCESS_MMAP_NONINTERLEAVED: unsafe snd_pcm_mmap_writen(handle, &rows, UInt(frames))
      default: unsafe snd_pcm_writei(handle, first, UInt(frames))
      }
    }
    return count < 0 ? .failure(Refusal(call: "write", code: Int32(count))) : .success(count)
  }

  private var isPlanar: Bool {
    access == SND_PCM_ACCESS_RW_NONINTERLEAVED || access == SND_PCM_ACCESS_MMAP_NONINTERLEAVED
  }
}
