// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Whether an output that a run left holds what it should: all frames and bytes that it announces, and as many frames
/// as its input asks for.
///
///     out/a.wav   96000 frames announced, 96000 there, in/a.wav has 96000    whole
///     out/b.wav   96000 frames announced, 40000 there: somebody cut it       rendered again
///
/// An output gets its name when it was written whole, so that only a power cut or another program can have cut it:
/// these show at its end. The sound between is not decoded, as that would take as long as rendering it; of Ogg, whose
/// pages are summed when a file is opened, and of no other type, the bytes are read.
enum WholeOutput {
  static func isWhole(_ item: BatchPlan.Item, _ tail: Tail) -> Bool {
    guard let frames = AudioFileReader.wholeFrames(path: item.output) else { return false }
    // The frames of a compressed input may be an estimate, and one that is damaged by now has none.
    guard let input = (try? AudioFileReader(path: item.input))?.description,
      let begin = input.frames, input.sampleFormat != .music
    else { return true }
    let most = begin + tail.frames(sampleRate: input.sampleRate)
    switch tail {
    case .seconds: return frames == most
    case .audible: return (begin...most).contains(frames)
    }
  }
}
