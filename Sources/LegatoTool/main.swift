// SPDX-License-Identifier: Apache-2.0

internal import Glibc

// What was written has been handed to the system. Libraries do not clean up: that would take away what a thread works
// with which opens libLLVM, or compiles with it, and takes libLLVM longer than rendering a short file.
_exit(Command(RawArguments.all).run())
