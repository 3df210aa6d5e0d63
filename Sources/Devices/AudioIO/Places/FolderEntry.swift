// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An entry of a folder: a name, and the kind of what it names.
package struct FolderEntry: Sendable {
  package let name: String
  package let kind: Kind

  package enum Kind: Sendable {
    /// A file, or a link to one.
    case file
    case folder
    case linkToFolder
    /// A device, a pipe, or a link that leads nowhere.
    case other
  }

  /// Calls for each entry of a folder but `.` and `..`, in no order, in constant memory.
  package static func each(in path: String, _ body: (FolderEntry) -> Void) throws(AudioFileError) {
    guard let folder = unsafe path.withPath({ unsafe opendir($0) }) else {
      throw AudioFileError(path, errno: errno)
    }
    defer { unsafe closedir(folder) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(folder) else {
        guard errno == 0 else { throw AudioFileError(path, errno: errno) }
        return
      }
      let bytes = unsafe nameBytes(entry)
      guard bytes != [dot], bytes != [dot, dot] else { continue }
      let name = PathText.text(of: bytes)
      body(FolderEntry(name: name, kind: kind(of: name, in: path, unsafe Int(entry.pointee.d_type))))
    }
  }

  private static let dot = UInt8(ascii: ".")

  /// The bytes of an entry's name, which is as long as it is, not as its field.
  private static func nameBytes(_ entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    let start = unsafe UnsafeRawPointer(entry) + offset
    let length = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
  }

  /// The kind of an entry; some file systems do not tell it in the folder.
  private static func kind(of name: String, in folder: String, _ type: Int) -> Kind {
    if type == Int(DT_REG) { return .file }
    if type == Int(DT_DIR) { return .folder }
    let path = PathText.path(folder, name)
    guard let link = try? FileStatus(link: path), let status = try? FileStatus(path: path) else {
      return .other
    }
    if status.isFolder { return link.isLink ? .linkToFolder : .folder }
    return status.isFile ? .file : .other
  }
}
