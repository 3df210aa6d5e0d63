// SPDX-License-Identifier: Apache-2.0

Job.endProcess(Command(RawArguments.all).run())
