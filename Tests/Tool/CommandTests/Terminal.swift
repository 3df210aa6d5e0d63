// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing

/// A terminal that nobody sits at: what a program writes to it can be read, and keys can be pressed.
final class Terminal {
  /// The path that programs write to.
  let path: String
  private let descriptor: Int32
  /// Held open, so that what was written can still be read.
  private let other: Int32

  init(columns: Int = 80, rows: Int = 24) throws {
    descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN, which Swift does not see.
    var (isLocked, number) = (Int32(0), Int32(0))
    unsafe try #require(ioctl(descriptor, 0x4004_5431, &isLocked) == 0)
    unsafe try #require(ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
    other = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try resize(columns: columns, rows: rows)
  }

  deinit {
    close(other)
    close(descriptor)
  }

  func resize(columns: Int, rows: Int) throws {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    unsafe try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// The bytes written since the last time.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  /// Whether something was written.
  func hasMore(within milliseconds: Int32) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ready, 1, milliseconds) > 0
  }

  /// Writes until nothing more fits in, as long as nobody reads.
  func fill() throws {
    let writer = unsafe open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { close(writer) }
    let bytes = [UInt8](repeating: 0x20, count: 4096)
    // What was written moves on to the other end, where there is room for some more, until it took nothing for a while.
    var rest = 10
    for _ in 0..<1000 where rest > 0 {
      rest -= 1
      while unsafe write(writer, bytes, bytes.count) > 0 { rest = 10 }
      usleep(20_000)
    }
    try #require(unsafe write(writer, bytes, 1) < 0)
  }

  func press(_ keys: String) throws {
    let bytes = Array(keys.utf8)
    unsafe try #require(write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// Whether lines are edited and keys shown, as a shell has it.
  var isCooked: Bool {
    var state = termios()
    guard unsafe tcgetattr(other, &state) == 0 else { return false }
    let wanted = tcflag_t(ICANON | ECHO | ISIG)
    return state.c_lflag & wanted == wanted
  }
}

/// A run of the command on a terminal of its own, and what that shows.
final class TerminalRun {
  let terminal: Terminal
  /// The present screen.
  private(set) var screen: ModelTerminal
  /// Everything that was written.
  private(set) var written = ""
  private var rest: [UInt8] = []
  private let process = Process()

  /// - Parameter environment: what is added to that of the tests.
  init(_ arguments: [String], environment: [String: String], columns: Int = 80, rows: Int = 24) throws {
    terminal = try Terminal(columns: columns, rows: rows)
    screen = ModelTerminal(columns: columns, rows: rows)
    let file = try #require(FileHandle(forUpdatingAtPath: terminal.path))
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    process.arguments = ["--ctty", "--wait", Tool.program] + arguments
    let usual = ["TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": ""]
    process.environment = [Tool.environment, usual, environment]
      .reduce(ProcessInfo.processInfo.environment) { $0.merging($1) { $1 } }
    process.standardInput = file
    process.standardOutput = file
    process.standardError = file
    RunningProgram.heedSignals()
    try process.run()
  }

  /// Takes what was written; sequences that are cut wait for their rest.
  private func take(within milliseconds: Int32) {
    guard terminal.hasMore(within: milliseconds) else { return }
    rest += terminal.read()
    let end = rest.lastIndex { $0 == 0x1B || $0 == 0x0A || $0 == 0x6C || $0 == 0x68 } ?? -1
    guard end >= 0 else { return }
    let isSequence = rest[end] == 0x1B
    let complete = Array(rest[..<(isSequence ? end : end + 1)])
    rest.removeFirst(complete.count)
    written += String(decoding: complete, as: UTF8.self)
    screen.feed(complete)
  }

  /// Waits until the screen shows what is wanted. What never comes ends the test as failed.
  func wait(for what: String, _ condition: (ModelTerminal) -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 120)
    while !condition(screen) {
      guard Date() < deadline, process.isRunning || terminal.hasMore(within: 0) else {
        throw NeverSeen(what: what, screen: screen.text)
      }
      take(within: 100)
    }
  }

  func wait(for text: String) throws { try wait(for: text) { $0.text.contains(text) } }

  struct NeverSeen: Error {
    let what: String
    let screen: String
  }

  /// The command's own process: what setsid waits for.
  func number() throws -> pid_t {
    let own = process.processIdentifier
    let path = "/proc/\(own)/task/\(own)/children"
    let children = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").compactMap {
      pid_t($0)
    }
    return children.first ?? own
  }

  /// Waits until the command has stopped itself: one that is told to go on before would stop for good.
  func waitUntilStopped() throws {
    let path = "/proc/\(try number())/stat"
    let deadline = Date(timeIntervalSinceNow: 120)
    while try !String(contentsOfFile: path, encoding: .utf8).contains(") T ") {
      guard Date() < deadline else { throw NeverSeen(what: "the stop", screen: screen.text) }
      usleep(1000)
    }
  }

  /// Waits for the end without reading what is written; one that never comes is brought about.
  func endUnread() throws -> Bool {
    let number = try number()
    for _ in 0..<3000 where process.isRunning { usleep(10_000) }
    guard process.isRunning else { return true }
    kill(number, SIGKILL)
    return false
  }

  /// Waits for the end, and returns the exit code, or 128 and the number of a signal.
  func finish() throws -> Int32 {
    let deadline = Date(timeIntervalSinceNow: 120)
    while process.isRunning || terminal.hasMore(within: 0) {
      guard Date() < deadline else { throw NeverSeen(what: "the end", screen: screen.text) }
      take(within: 100)
    }
    return process.terminationStatus
  }
}
