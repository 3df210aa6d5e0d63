// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of LegatoRamps.h, for the headers of exported objects.
const char *_Nonnull legato_ramp_text(void);
