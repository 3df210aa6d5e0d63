// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The speakers that the channels of a sound are meant for, one for each.
///
///     5.1   front left, front right, center, low frequencies, rear left, rear right     mask 0x3F
///
/// A mask, as WAV and FLAC have it, says which speakers there are; their order is always the same.
struct SpeakerLayout: Hashable, Sendable {
  /// libsndfile's numbers.
  private let speakers: [Int32]

  /// The speaker of each bit of a mask.
  private static let bits: [Int32] = [
    SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_LFE,
    SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_REAR_RIGHT, SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER,
    SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER, SF_CHANNEL_MAP_REAR_CENTER, SF_CHANNEL_MAP_SIDE_LEFT,
    SF_CHANNEL_MAP_SIDE_RIGHT, SF_CHANNEL_MAP_TOP_CENTER, SF_CHANNEL_MAP_TOP_FRONT_LEFT,
    SF_CHANNEL_MAP_TOP_FRONT_CENTER, SF_CHANNEL_MAP_TOP_FRONT_RIGHT, SF_CHANNEL_MAP_TOP_REAR_LEFT,
    SF_CHANNEL_MAP_TOP_REAR_CENTER, SF_CHANNEL_MAP_TOP_REAR_RIGHT,
  ].map { Int32($0) }

  /// The masks of FLAC files with three to eight channels that name none. (RFC 9639, section 9.1.3.)
  private static let ofFLAC: [UInt32] = [0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]

  /// Nil where the file says nothing, or no more than mono and stereo say anyway.
  init?(of file: SoundFile) {
    let channels = Int(file.info.channels)
    guard channels > 2 else { return nil }
    var map = [Int32](repeating: 0, count: channels)
    let size = Int32(channels * MemoryLayout<Int32>.size)
    guard unsafe sf_command(file.handle, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) == SF_TRUE,
      map.allSatisfy({ $0 > Int32(SF_CHANNEL_MAP_MONO) })
    else { return nil }
    speakers = map
  }

  /// - Parameter mask: nil for what FLAC files mean that say none.
  init?(ofFLACWith channels: Int, mask: UInt32?) {
    guard (3...8).contains(channels) else { return nil }
    let mask = mask ?? Self.ofFLAC[channels - 3]
    speakers = Self.bits.indices.filter { mask >> UInt32($0) & 1 == 1 }.map { Self.bits[$0] }
    guard speakers.count == channels, mask >> UInt32(Self.bits.count) == 0 else { return nil }
  }

  /// Nil where the speakers are others, or in another order, than a mask can say.
  var mask: UInt32? {
    let places = speakers.map { Self.bits.firstIndex(of: $0) ?? -1 }
    guard places.allSatisfy({ $0 >= 0 }), zip(places, places.dropFirst()).allSatisfy(<) else { return nil }
    return places.reduce(0) { $0 | 1 << UInt32($1) }
  }

  /// Hands the layout to a file that is about to be written; false where it has no place for it.
  @discardableResult
  func set(in file: SoundFile) -> Bool {
    var map = speakers
    let size = Int32(map.count * MemoryLayout<Int32>.size)
    return unsafe sf_command(file.handle, Int32(SFC_SET_CHANNEL_MAP_INFO), &map, size) == SF_TRUE
  }
}
