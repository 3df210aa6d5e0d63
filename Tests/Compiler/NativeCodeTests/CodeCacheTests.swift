// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import GraphPlanning
import NativeCode
import TestEquipment
import Testing

/// Code that is kept in a folder: the same code, whatever state the folder is in.
@Suite struct CodeCacheTests {
  /// Checks that code which adds a constant does so.
  private func check(_ cache: CodeCache, _ constant: Int = 1) throws {
    let target = try cache.host()
    let code = try cache.code(ofText: SampleText.adder(constant), entry: "execute", for: target)
    let input = (0..<20).map(Float.init)
    #expect(LoadedCodeTests.execute(code, over: input) == input.map { $0 + Float(constant) })
  }

  private func file(_ path: String) throws -> stat {
    var status = stat()
    try #require(unsafe lstat(path, &status) == 0)
    return status
  }

  /// Makes a file one that was used so many seconds after 1970.
  private func setTime(_ seconds: Int, of path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
  }

  @Test func aSecondTimeTheFilesAreReadAndNotWritten() throws {
    let parent = try TemporaryFolder()
    let folder = parent("cache")
    let cache = CodeCache(folder: folder)
    try check(cache)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count == 2, "the machine and the code")
    #expect(try parent.permissions("cache") == 0o700)
    for name in names { try setTime(1000, of: folder + "/" + name) }
    let before = try names.map { try file(folder + "/" + $0) }
    try check(cache)
    for (name, old) in zip(names, before) {
      let new = try file(folder + "/" + name)
      #expect(new.st_ino == old.st_ino && new.st_mtim.tv_sec > 1000 && new.st_mode & 0o777 == 0o600)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    #expect(try cache.host() == Target.host())
  }

  @Test func eachTextAndTargetHasAFile() throws {
    let folder = try TemporaryFolder()
    let cache = CodeCache(folder: folder.path)
    let targets = ["x86-64", "x86-64-v3", "x86-64-v4"].compactMap(Target.x86(level:))
      .filter { (try? $0.runsHere) == true }
    var plain = try Target.host()
    let texts = [SampleText.adder(1), SampleText.adder(2)]
    for target in targets + [plain] {
      for text in texts { _ = try cache.code(ofText: text, entry: "execute", for: target) }
    }
    #expect(try folder.names.count == 1 + 2 * (targets.count + 1))
    plain.features = ""
    _ = try cache.code(ofText: texts[0], entry: "execute", for: plain)
    #expect(try folder.names.count == 2 + 2 * (targets.count + 1))
  }

  @Test func whateverIsDamagedIsCompiledAnewAndReplaced() throws {
    let folder = try TemporaryFolder()
    let cache = CodeCache(folder: folder.path)
    try check(cache)
    try check(cache, 2)
    let names = try folder.names
    let sizes = try names.map { try folder.bytes($0).count }
    let smallest = try #require(sizes.min())
    for (index, name) in names.enumerated() {
      let whole = try folder.bytes(name)
      let foreign = try folder.bytes(names[(index + 1) % names.count])
      var random = SplitMix(seed: 3)
      var damaged: [[UInt8]] = [[], [0], foreign, whole + [0]]
      damaged += [8, 16, 24, smallest / 2, whole.count - 1].map { Array(whole.prefix($0)) }
      for _ in 0..<20 {
        var bytes = whole
        bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        damaged.append(bytes)
      }
      for bytes in damaged {
        try folder.make(name, bytes)
        try check(cache)
        try check(cache, 2)
        #expect(try folder.bytes(name) == whole)
      }
    }
    #expect(try folder.names == names)
  }

  @Test(arguments: ["folder", "link", "pipe", "writable"])
  func whatIsNoFileOfTheUsersIsNotRead(what: String) throws {
    let (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
    let cache = CodeCache(folder: folder.path)
    try check(cache)
    for name in try folder.names {
      let whole = try folder.bytes(name)
      try folder.remove(name)
      switch what {
      case "folder": try folder.makeFolder(name)
      case "link":
        try elsewhere.make(name, whole)
        try FileManager.default.createSymbolicLink(
          atPath: folder(name), withDestinationPath: elsewhere(name))
      case "pipe": try #require(unsafe mkfifo(folder(name), 0o600) == 0)
      case _:
        try folder.make(name, whole)
        try #require(unsafe chmod(folder(name), 0o602) == 0)
      }
      let before = try file(folder(name)).st_ino
      try check(cache)
      let after = try file(folder(name))
      #expect((after.st_ino == before) == (what == "folder"), "\(what) is replaced")
      if what != "folder" { #expect(after.st_mode == S_IFREG | 0o600) }
    }
    #expect(try elsewhere.names.allSatisfy { try elsewhere.bytes($0).count > 0 })
  }

  @Test func aFolderThatOthersWriteToIsNotUsed() throws {
    let folder = try TemporaryFolder()
    let cache = CodeCache(folder: folder.path)
    try check(cache)
    let names = try folder.names
    for name in names { try setTime(1000, of: folder(name)) }
    try #require(unsafe chmod(folder.path, 0o770) == 0)
    try check(cache)
    try check(cache, 2)
    #expect(try folder.names == names)
    for name in names { #expect(try file(folder(name)).st_mtim.tv_sec == 1000) }
  }

  @Test func aFolderThatCannotBeIsNone() throws {
    let folder = try TemporaryFolder()
    try folder.make("file")
    try folder.makeFolder("real")
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("real"))
    let paths = ["file", "file/cache", "link", "link/", "link//", "missing/cache"].map(folder.callAsFunction)
    for path in paths + ["/proc/legato", ""] {
      try check(CodeCache(folder: path))
    }
    #expect(try folder.names == ["file", "link", "real"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("real")) == [])
  }

  @Test func whatWasUsedLongestAgoGoes() throws {
    let folder = try TemporaryFolder()
    let unbounded = CodeCache(folder: folder.path)
    _ = try unbounded.host()
    var names = Set(try folder.names)
    let machine = try #require(names.first)
    var files: [String] = []
    for constant in 1...3 {
      try check(unbounded, constant)
      let added = try #require(Set(try folder.names).subtracting(names).first)
      names.insert(added)
      files.append(added)
    }
    let unfinished = "0123456789abcdef.legato-code.77"
    try folder.make(unfinished, [UInt8](repeating: 0, count: 1000))
    for (index, name) in ([unfinished] + files).enumerated() {
      try setTime(1000 + index, of: folder(name))
    }
    let sizes = try (files + [machine]).map { try folder.bytes($0).count }
    // There is room for four; the first is used again before the fifth comes, and so the second goes.
    let bounded = CodeCache(folder: folder.path, most: sizes.reduce(0, +) + 100)
    try check(bounded, 1)
    try check(bounded, 4)
    let left = try folder.names
    #expect(left.contains(files[0]) && !left.contains(files[1]) && left.contains(files[2]))
    #expect(left.contains(machine))
    #expect(!left.contains(unfinished), "what a killed process left")
    #expect(left.count == 4)
    // What does not fit at all is not kept, and drives out nothing.
    try check(CodeCache(folder: folder.path, most: 100), 5)
    #expect(try folder.names == left)
  }

  @Test func whatOthersPutThereStays() throws {
    let folder = try TemporaryFolder()
    let strangers = [
      "stranger.legato-code", "0123456789abcdef.code", "0123456789ABCDEF.legato-code",
      "\u{FF10}\u{FF11}\u{FF12}\u{FF13}\u{FF14}\u{FF15}\u{FF16}\u{FF17}\u{FF18}\u{FF19}abcdef.legato-code",
      "0123456789abcdef.legato-code.+7", "0123456789abcdef.legato-code.", "0123456789abcdef.legato-code.7.7",
    ]
    for name in strangers { try folder.make(name, [UInt8](repeating: 0, count: 1000)) }
    let link = "00000000000000aa.legato-code"
    try FileManager.default.createSymbolicLink(atPath: folder(link), withDestinationPath: "nowhere")
    let pipe = "00000000000000bb.legato-code"
    try #require(unsafe mkfifo(folder(pipe), 0o600) == 0)
    _ = try CodeCache(folder: folder.path).host()
    let machine = try #require(Set(folder.names).subtracting(strangers + [link, pipe]).first)
    let size = try folder.bytes(machine).count
    try folder.remove(machine)
    // There is room for nothing else.
    _ = try CodeCache(folder: folder.path, most: size).host()
    #expect(try folder.names == (strangers + [link, pipe, machine]).sorted())
  }

  /// The sum of the sizes is more than any number says.
  @Test func sizesBeyondAllNumbers() throws {
    let folder = try TemporaryFolder()
    let names = (0..<3).map { "000000000000000\($0).legato-code" }
    for (index, name) in names.enumerated() {
      try folder.make(name, [])
      // What the file system cannot hold is as large as it can be.
      _ = (40...63).reversed().first { unsafe truncate(folder(name), .max >> (63 - $0)) == 0 }
      try setTime(1000 + index, of: folder(name))
    }
    try check(CodeCache(folder: folder.path))
    #expect(try Set(folder.names).isDisjoint(with: names) && folder.names.count == 2)
  }

  @Test func aClockThatWasWrongOnceKeepsNothingForGood() throws {
    let folder = try TemporaryFolder()
    let (past, future) = ("0000000000000001.legato-code", "0000000000000002.legato-code")
    for (name, seconds) in [(past, 1000), (future, 1 << 33)] {
      try folder.make(name, [UInt8](repeating: 0, count: 60_000))
      try setTime(seconds, of: folder(name))
    }
    try check(CodeCache(folder: folder.path, most: 100_000))
    let left = try folder.names
    #expect(left.contains(past) && !left.contains(future) && left.count == 3)
  }

  @Test func anotherLibraryIsAnotherMaker() throws {
    let folder = try TemporaryFolder()
    let path = try folder.make("library", "one")
    let key = Array("key".utf8)
    var bytes: [UInt8] = []
    func isKnown(_ key: [UInt8] = key) -> Bool { CacheEntry.contents(of: bytes, key: key) == [1, 2, 3] }
    func keep(_ name: String) throws {
      try setTime(1000, of: path)
      let library = try #require(LibraryIdentity(name: name))
      bytes = CacheEntry(key: key, library: library, contents: [1, 2, 3]).bytes
      #expect(library.isCurrent && isKnown() && !isKnown(Array("kez".utf8)) && !isKnown([]))
    }
    try keep(path)
    try setTime(1001, of: path)
    #expect(!isKnown())

    try keep(path)
    // As long, and as old by what the file says of itself.
    try folder.waitUntilDatesDiffer()
    let inode = try file(path).st_ino
    try folder.make("library", "two")
    try setTime(1000, of: path)
    #expect(try file(path).st_ino == inode && !isKnown())

    try keep(path)
    try folder.make("another", "two")
    try setTime(1000, of: folder("another"))
    try #require(unsafe rename(folder("another"), path) == 0)
    #expect(try file(path).st_ino != inode && !isKnown())

    let link = folder("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try keep(link)
    try folder.make("another", "two")
    try folder.remove("link")
    #expect(!isKnown())
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder("another"))
    #expect(!isKnown(), "the file that it led to is as it was")

    try keep(path)
    try folder.remove("library")
    #expect(!isKnown())
    #expect(LibraryIdentity(name: "library") == nil, "which folder is at hand is not known later")
  }

  /// Root alone gives files to others.
  @Test(.enabled(if: geteuid() == 0)) func foldersAreMadeOnlyInTheUsersOwn() throws {
    let folder = try TemporaryFolder()
    func isUsed(_ variables: [String: String], _ made: String) throws -> Bool {
      try check(#require(CodeCache { variables[$0] }))
      defer { try? folder.remove(made) }
      return FileManager.default.fileExists(atPath: folder(made))
    }
    let home = ["HOME": folder("home")]
    #expect(try !isUsed(home, "home"), "a home is not made")
    try folder.makeFolder("home")
    #expect(try isUsed(home, "home/.cache/legato") && isUsed(home, "home/.cache"))
    let caches = ["XDG_CACHE_HOME": folder("home")]
    #expect(try isUsed(caches, "home/legato"))
    let named = ["LEGATO_CACHE": folder("home/cache/")]
    #expect(try isUsed(named, "home/cache"))

    try #require(unsafe chown(folder("home"), 1000, 1000) == 0)
    #expect(try !isUsed(home, "home/.cache") && !isUsed(caches, "home/legato"))
    #expect(try !isUsed(named, "home/cache"))
    try #require(unsafe chmod(folder("home"), 0o1777) == 0)
    #expect(try !isUsed(home, "home/.cache") && !isUsed(caches, "home/legato"))
    #expect(try isUsed(named, "home/cache"))

    try folder.makeFolder("home/.cache")
    try #require(unsafe chown(folder("home"), 0, 0) == 0 && chown(folder("home/.cache"), 1000, 1000) == 0)
    #expect(try !isUsed(home, "home/.cache/legato"))
  }

  @Test(.endsProcesses) func whatAReplacedLibraryMakesIsNotKept() async throws {
    _ = try LLVMLibrary.shared()
    let library = try #require(try Mapping.all().map(\.name).first { $0.contains("libLLVM") })
    await #expect(processExitsWith: .success) { [library = library as String] in
      let folder = try TemporaryFolder()
      let link = folder("library")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: library)
      unsafe setenv("LEGATO_LLVM", link, 1)
      let tests = CodeCacheTests()
      try tests.check(CodeCache(folder: folder("before")))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder("before")).count == 2)
      try folder.remove("library")
      try folder.make("library")
      try tests.check(CodeCache(folder: folder("after")))
      #expect(try folder.names == ["before", "library"])
    }
  }

  @Test(.endsProcesses) func aLibraryOfTheFolderAtHandKeepsNothing() async throws {
    _ = try LLVMLibrary.shared()
    let library = try #require(try Mapping.all().map(\.name).first { $0.contains("libLLVM") })
    await #expect(processExitsWith: .success) { [library = library as String] in
      let folder = try TemporaryFolder()
      try FileManager.default.createSymbolicLink(atPath: folder("library"), withDestinationPath: library)
      try #require(FileManager.default.changeCurrentDirectoryPath(folder.path))
      unsafe setenv("LEGATO_LLVM", "./library", 1)
      try CodeCacheTests().check(CodeCache(folder: folder("cache")))
      #expect(try folder.names == ["library"])
    }
  }

  @Test(arguments: [
    (["LEGATO_CACHE": "/a", "XDG_CACHE_HOME": "/x", "HOME": "/h"], "/a"),
    (["LEGATO_CACHE": "a", "HOME": "/h"], "a"),
    (["LEGATO_CACHE": "/a//"], "/a"),
    (["LEGATO_CACHE": "/"], "/"),
    (["LEGATO_CACHE": "", "XDG_CACHE_HOME": "/x", "HOME": "/h"], nil),
    (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/legato"),
    (["XDG_CACHE_HOME": "x", "HOME": "/h"], "/h/.cache/legato"),
    (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache/legato"),
    (["HOME": "h"], nil),
    ([:], nil),
  ])
  func theEnvironmentNamesTheFolder(variables: [String: String], folder: String?) {
    #expect(CodeCache { variables[$0] }?.folder == folder)
  }

  @Test func threadsKeepAtOnce() async throws {
    let folder = try TemporaryFolder()
    let cache = CodeCache(folder: folder.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 { group.addTask { for turn in 0..<6 { try check(cache, 1 + (task + turn) % 3) } } }
      try await group.waitForAll()
    }
    #expect(try folder.names.count == 4)
  }

  /// The limit on the size of files stands for the disk.
  @Test(.endsProcesses) func aFullDiskKeepsNothing() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let tests = CodeCacheTests()
      for limit in [0, 10, 1000] {
        let folder = try TemporaryFolder()
        var size = rlimit()
        unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &size)
        size.rlim_cur = rlim_t(limit)
        unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &size)
        try tests.check(CodeCache(folder: folder.path))
        #expect(try folder.names == [])
      }
    }
  }
}
