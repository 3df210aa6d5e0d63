// SPDX-License-Identifier: Apache-2.0

internal import Glibc

exit(Command(RawArguments.all).run())
