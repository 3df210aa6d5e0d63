// SPDX-License-Identifier: Apache-2.0

// The functions are inline in the header, so that Swift's real-time checks see through them.
#include "CRealtime.h"
