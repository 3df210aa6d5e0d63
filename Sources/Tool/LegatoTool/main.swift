// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Glibc

// What cannot be written is said by the writer, in a message that names the file.
signal(SIGXFSZ, SIG_IGN)
// What was written has been handed to the system. Libraries do not clean up: that would take away what a thread works
// with which opens libLLVM, or compiles with it, and takes libLLVM longer than rendering a short file.
let code = Command(RawArguments.all).run()
// A disk that is too slow may hold up a thread that still writes: nothing unfinished stays.
Interruption.pending.removeAll()
_exit(code)
