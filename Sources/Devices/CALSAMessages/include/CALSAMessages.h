// SPDX-License-Identifier: Apache-2.0
#pragma once

// What alsa-lib has to say, which it would write to the standard error: a function with variable arguments, which
// Swift cannot be. The function is the whole process's, what it keeps is each thread's. None of this allocates.

/// Lets alsa-lib write nothing from here on; each thread keeps the first and the last message since it last forgot.
void CALSAKeepMessages(void);

/// The first message, which tells the cause ("cannot find card '0'"); valid until the next, empty where there is none.
const char *_Nonnull CALSAFirstMessage(void);

/// The last message, which tells what failed for that; empty where there was one only.
const char *_Nonnull CALSALastMessage(void);

void CALSAForgetMessages(void);
