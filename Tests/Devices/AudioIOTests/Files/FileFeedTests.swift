// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import RealtimeCore
import TestEquipment
import Testing

@Suite("Sound of a file for an audio thread", .waits)
struct FileFeedTests {
  /// Takes so many frames, or those up to the end, as soon as they are there.
  private func take(_ feed: FileFeed, frames: Int, period: Int = 500) -> Sound {
    let channels = feed.description.channels
    let buffer = PlanarBuffer(channels: channels, capacity: period)
    var sound = Sound(samples: Array(repeating: [], count: channels))
    while sound.frames < frames && !feed.reader.isAtEnd {
      let wanted = min(period, frames - sound.frames)
      let isWhole = feed.reader.available >= wanted
      let count =
        unsafe isWhole
        ? feed.reader.fill(buffer.rows, frames: wanted)
        : feed.reader.read(into: buffer.rows, at: 0, most: wanted)
      if count == 0 { usleep(1000) }
      for channel in 0..<channels { sound.samples[channel] += (0..<count).map { buffer[channel, $0] } }
    }
    return sound
  }

  private func feed(_ path: String, rate: Int = 48000, isLooped: Bool = false) throws -> FileFeed {
    try FileFeed(AudioFileReader(path: path), rate: rate, isLooped: isLooped, period: 500)
  }

  @Test("every frame once, in order, to the end; then silence, of which none is missing", arguments: [1, 2])
  func whole(_ channels: Int) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: channels, frames: 150_000)
    try sound.write(folder("in.wav"))
    let feed = try feed(folder("in.wav"))
    #expect(feed.notices.isEmpty && feed.description.channels == channels)
    // It was filled before it was handed over.
    #expect(feed.reader.available > 90_000)
    let isEqual = take(feed, frames: .max) == sound
    #expect(isEqual && feed.reader.isAtEnd)
    let rows = PlanarBuffer(channels: channels, capacity: 10)
    rows[0, 3] = 1
    #expect(unsafe feed.reader.fill(rows.rows, frames: 10) == 0)
    #expect(rows[0, 3] == 0 && feed.missing == 0 && feed.failure == nil && feed.end())
  }

  @Test("in a loop: again from its beginning, without a seam, resampled or not", arguments: [48000, 44100])
  func loop(_ rate: Int) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 30_011)
    let repeated = Sound(samples: sound.samples.map { $0 + $0 + $0 + $0 })
    try sound.write(folder("in.wav"))
    try repeated.write(folder("long.wav"))
    let feed = try feed(folder("in.wav"), rate: rate, isLooped: true)
    let long = try self.feed(folder("long.wav"), rate: rate)
    let frames = 3 * 30_011 * rate / 48000
    let isEqual = take(feed, frames: frames) == take(long, frames: frames)
    #expect(isEqual && !feed.reader.isAtEnd && feed.missing == 0)
    #expect(feed.end())
  }

  @Test("at another rate: resampled as a file is, with a line")
  func resampled() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 3, frames: 20_000).write(folder("in.wav"))
    let feed = try feed(folder("in.wav"), rate: 44100)
    #expect(feed.notices == ["\(folder("in.wav")): resampled from 48000 to 44100 Hz"])
    let conversion = try RateConversion(
      fileRate: 48000, modelRate: 44100, inputs: [0, 1, 2], outputs: 3, quality: .best)
    let source = try SoundSource(AudioFileReader(path: folder("in.wav")), through: conversion)
    let rows = PlanarBuffer(channels: 3, capacity: 30_000)
    let count = unsafe try source.read(into: rows.rows, frames: 30_000)
    #expect(count == 18375)
    let expected = Sound(samples: (0..<3).map { channel in (0..<count).map { rows[channel, $0] } })
    let isEqual = take(feed, frames: .max) == expected
    #expect(isEqual)
  }

  @Test("a file without a frame ends at once, looped as well", arguments: [false, true])
  func empty(_ isLooped: Bool) throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 1, frames: 0).write(folder("in.wav"))
    #expect(try feed(folder("in.wav"), isLooped: isLooped).reader.isAtEnd)
  }

  @Test("a file that breaks off while it is read: the reason, and the end")
  func breaksOff() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 1, frames: 100_000).write(folder("in.wav"))
    let reader = try AudioFileReader(path: folder("in.wav"))
    try FileHandle(forWritingTo: URL(fileURLWithPath: folder("in.wav"))).truncate(atOffset: 200_000)
    let feed = try FileFeed(reader, rate: 48000, isLooped: false, period: 500)
    let sound = take(feed, frames: .max)
    #expect(sound.frames < 50_000 && feed.reader.isAtEnd)
    guard case .damaged = feed.failure?.problem else {
      Issue.record("\(String(describing: feed.failure))")
      return
    }
  }

  @Test("a pipe that nobody fills: silence, counted, and it does not hold up the end; no loop")
  func silentPipe() throws {
    let folder = try TemporaryFolder()
    #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
    let writer = unsafe open(folder("pipe"), O_RDWR)
    // Without it, who reads waits for ever.
    defer { close(writer) }
    let format = RawFormat(sampleRate: 48000, channels: 1)
    #expect(throws: AudioFileError.self) {
      _ = try FileFeed(
        AudioFileReader(path: folder("pipe"), raw: format), rate: 48000, isLooped: true, period: 500)
    }
    let feed = try FileFeed(
      AudioFileReader(path: folder("pipe"), raw: format), rate: 48000, isLooped: false, period: 500)
    let rows = PlanarBuffer(channels: 1, capacity: 500)
    withExtendedLifetime(rows) { #expect(unsafe feed.reader.fill(rows.rows, frames: 500) == 0) }
    #expect(feed.missing == 500 && !feed.reader.isAtEnd)
    #expect(!feed.end())
  }
}
