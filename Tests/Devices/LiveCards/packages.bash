# SPDX-License-Identifier: Apache-2.0
# Gets Debian's packages for one run, without installing them: the system stays as it is, and no rights are needed.
#
#     get FOLDER PACKAGE…     what the system lacks of PACKAGE… and of what these need ─▶ FOLDER/usr/…
#     take FOLDER PACKAGE…    just these packages, whatever the system has             ─▶ FOLDER/usr/…
#
# Both print the reason, in one line, where they fail. Programs that lie in FOLDER run after
# `enter FOLDER`.

get() {
  local folder=$1
  shift
  mkdir -p "$folder/archives/partial"
  # Locks and owners are apt's concern only where it installs.
  if ! apt-get install -q --yes --download-only --no-install-recommends -o Debug::NoLocking=1 \
    -o APT::Sandbox::User=root -o Dir::Cache::archives="$folder/archives" "$@" >"$folder/apt" 2>&1; then
    reason "$folder/apt"
    return 1
  fi
  unpack "$folder"
}

take() {
  local folder=$1
  shift
  mkdir -p "$folder/archives"
  if ! (cd "$folder/archives" && apt-get download -q -o APT::Sandbox::User=root "$@") >"$folder/apt" 2>&1; then
    reason "$folder/apt"
    return 1
  fi
  unpack "$folder"
}

reason() { grep '^E: ' "$1" | head -n 1 | grep . || echo "apt-get failed: $(tail -n 1 "$1")"; }

unpack() {
  local folder=$1 archive link
  for archive in "$folder"/archives/*.deb; do
    [ -e "$archive" ] || continue
    if ! dpkg-deb --extract "$archive" "$folder" 2>"$folder/apt"; then
      echo "${archive##*/} cannot be unpacked: $(tail -n 1 "$folder/apt")"
      return 1
    fi
    rm "$archive"
  done
  # A link to /bin/… means the folder's where that has it.
  find "$folder" -type l -lname '/*' | while read -r link; do
    [ ! -e "$folder$(readlink "$link")" ] || ln -sfn "$folder$(readlink "$link")" "$link"
  done
}

# Lets programs and libraries of FOLDER be found from here on; for a subshell.
enter() {
  local library
  for library in "$1"/usr/lib/*-linux-gnu "$1"/lib/*-linux-gnu; do
    [ ! -d "$library" ] || LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
  export LD_LIBRARY_PATH PATH=$1/usr/sbin:$1/usr/bin:$1/sbin:$1/bin:$PATH
}
