// SPDX-License-Identifier: Apache-2.0

internal import CSndFile
internal import Glibc

/// The texts that a file carries beside its sound.
///
/// Each type of file keeps what it has a place for. What else there is in a header, `FileExtras` has.
package struct AudioFileMetadata: Equatable, Sendable {
  package enum Field: CaseIterable, Sendable {
    case title, copyright, software, artist, comment, date, album, license, track, genre

    var number: Int32 {
      switch self {
      case .title: Int32(SF_STR_TITLE)
      case .copyright: Int32(SF_STR_COPYRIGHT)
      case .software: Int32(SF_STR_SOFTWARE)
      case .artist: Int32(SF_STR_ARTIST)
      case .comment: Int32(SF_STR_COMMENT)
      case .date: Int32(SF_STR_DATE)
      case .album: Int32(SF_STR_ALBUM)
      case .license: Int32(SF_STR_LICENSE)
      case .track: Int32(SF_STR_TRACKNUMBER)
      case .genre: Int32(SF_STR_GENRE)
      }
    }
  }

  private var texts: [Field: String] = [:]

  package init() {}

  /// One of the texts; nil where the file has none.
  package subscript(field: Field) -> String? {
    get { texts[field] }
    set { texts[field] = newValue }
  }

  package var isEmpty: Bool { texts.isEmpty }

  init(of file: SoundFile) {
    for field in Field.allCases {
      guard let text = unsafe sf_get_string(file.handle, field.number) else { continue }
      let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
      let units = unsafe bytes.map { UInt8(bitPattern: $0) }
      guard !units.isEmpty else { continue }
      // Old files hold Latin-1, where each byte is the number of its character.
      self[field] =
        String(validating: units, as: UTF8.self) ?? String(decoding: units.map(UInt16.init), as: UTF16.self)
    }
  }

  /// Hands the texts to a file that is about to be written; what its type has no place for is dropped.
  func set(in file: SoundFile) {
    for field in Field.allCases {
      guard let text = texts[field] else { continue }
      _ = unsafe sf_set_string(file.handle, field.number, text)
    }
  }
}
