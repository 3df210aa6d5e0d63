# SPDX-License-Identifier: Apache-2.0
# What the checks of live cards share: counting, and running `legato` with its output at hand.
#
#     run devices hw:0                          waits; then $code, and the files $work/out and $work/err
#     begin live MODEL …; …; end TERM           the same of a command that plays meanwhile, $live
#     check 'what holds' COMMAND…               counts whether COMMAND succeeds; what failed is shown
#
# Needs $legato, the program, and $work, a folder.

passed=0 failed=0 left_out=0

check() {
  local what=$1
  shift
  if "$@"; then
    echo "passed: $what"
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  echo "FAILED: $what: $*"
  echo "  exit code ${code-}; said:"
  sed 's/^/  | /' "$work/err" | tail -n 20
  sed 's/^/  : /' "$work/out" | tail -n 20
  return 1
}

left_out() {
  echo "left out: $1"
  left_out=$((left_out + 1))
}

# The last line; 0 where nothing failed.
tally() {
  echo "$passed passed, $failed failed, $left_out skipped"
  [ "$failed" -eq 0 ]
}

run() {
  timeout --kill-after=5 60 "$legato" "$@" >"$work/out" 2>"$work/err" && code=0 || code=$?
}

begin() {
  "$legato" "$@" >"$work/out" 2>"$work/err" &
  live=$!
}

# end SIGNAL: asks what plays to end, and waits for it. With - it has to end by itself.
end() {
  [ "$1" = - ] || kill -s "$1" "$live"
  until_true 20 ended || kill -KILL "$live"
  wait "$live" && code=0 || code=$?
}

ended() { ! kill -0 "$live" 2>/dev/null; }

# until_true SECONDS COMMAND…: looks again and again; fails when it is late.
until_true() {
  local late=$(($(now) + $1 * 1000))
  shift
  until "$@"; do
    [ "$(now)" -lt "$late" ] || return 1
    sleep 0.1
  done
}

# Milliseconds of a clock that does not jump.
now() {
  local up
  read -r up _ </proc/uptime
  echo $((10#${up/./} * 10))
}

said() { grep -qE -e "$1" "$work/err"; }
says_once() { [ "$(grep -cE -e "$1" "$work/err")" -eq 1 ]; }
printed() { grep -qE -e "$1" "$work/out"; }
exits() { [ "$code" -eq "$1" ]; }
is_one_line() { [ "$(wc -l <"$1")" -eq 1 ]; }

# number NAME FILE: the first number of this name in JSON; -1 where there is none.
number() { sed -n "s/.*\"$1\" *: *\(-\{0,1\}[0-9.e-]*\).*/\1/p" "$2" | head -n 1 | grep . || echo -1; }

# took NAME MILLISECONDS: whether seconds in the report are there, and not more than that; says how long it was.
took() {
  local taken
  taken=$(number "$1" "$work/report" | awk '{ printf "%d", $1 < 0 ? -1 : $1 * 1000 }')
  echo "$1: $taken ms of $2 ms"
  [ "$taken" -ge 0 ] && [ "$taken" -le "$2" ]
}

# counted NAME: what same-sound counted, in $followed.
counted() { sed "s/.*$1=\([0-9]*\).*/\1/" <<<"$followed"; }

# follows NAME TEST NUMBER
follows() { [ "$(counted "$1")" "${@:2}" ]; }

# noise FILE FRAMES SILENT: a WAVE file of two channels of white noise and silence behind it, 16 bits, 48000 Hz.
noise() {
  local bytes=$((($2 + $3) * 4))
  {
    printf 'RIFF'
    little 4 $((bytes + 36))
    printf 'WAVEfmt '
    little 4 16
    little 2 1
    little 2 2
    little 4 48000
    little 4 192000
    little 2 4
    little 2 16
    printf 'data'
    little 4 "$bytes"
    head -c $(($2 * 4)) /dev/urandom
    head -c $(($3 * 4)) /dev/zero
  } >"$1"
}

# little BYTES NUMBER: a number, its lowest byte first.
little() {
  local byte
  for ((byte = 0; byte < $1; byte += 1)); do
    printf "\\x$(printf %02x $((($2 >> 8 * byte) & 255)))"
  done
}
