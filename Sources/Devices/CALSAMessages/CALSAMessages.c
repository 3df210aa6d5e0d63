// SPDX-License-Identifier: Apache-2.0
#include "CALSAMessages.h"

#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char first[256], last[256];

static void keep(const char *file, int line, const char *function, int code, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(first[0] == 0 ? first : last, sizeof first, format, arguments);
  va_end(arguments);
}

void CALSAKeepMessages(void) { snd_lib_error_set_handler(keep); }

const char *CALSAFirstMessage(void) { return first; }

const char *CALSALastMessage(void) { return last; }

void CALSAForgetMessages(void) { first[0] = last[0] = 0; }
