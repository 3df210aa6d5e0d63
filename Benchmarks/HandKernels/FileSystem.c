// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"

#include <linux/magic.h>
#include <sys/vfs.h>

int hand_is_memory(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 && status.f_type == TMPFS_MAGIC;
}
