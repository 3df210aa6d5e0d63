// SPDX-License-Identifier: Apache-2.0

// The function is inline in the header; the package manager wants a source file all the same.
#include "CGetOpt.h"
