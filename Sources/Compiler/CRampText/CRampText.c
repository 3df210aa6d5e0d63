// SPDX-License-Identifier: Apache-2.0
#include "CRampText.h"

#pragma clang diagnostic ignored "-Wc23-extensions"
static const char text[] = {
#embed "../../Realtime/CRealtime/include/LegatoRamps.h"
    , 0};

const char *legato_ramp_text(void) { return text; }
