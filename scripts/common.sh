# shellcheck shell=bash
# Shared by the scripts beside it; to be sourced. Sets ROOT and goes there.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT" || exit 1

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$(basename "$0"): $*"
  exit 1
}

# packages SECTION...: the names listed in these sections of packages.txt.
packages() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" '/^\[/ { on = ($0 == wanted); next } on && NF && !/^#/' scripts/packages.txt
  done
}

# missing PACKAGE...: those that are not installed.
missing() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done
}

# install_packages SECTION...: one apt-get line, printed first; nothing at all when nothing is missing.
install_packages() {
  local -a wanted lacking as_root=()
  mapfile -t wanted < <(packages "$@")
  if ! command -v apt-get dpkg-query >/dev/null; then
    say "No apt-get here. These Debian packages, or what your system calls them, are needed: ${wanted[*]}"
    return
  fi
  mapfile -t lacking < <(missing "${wanted[@]}")
  ((${#lacking[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "neither root nor sudo; ask for: apt-get install ${lacking[*]}"
    as_root=(sudo)
  fi
  local -a line=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${lacking[@]}")
  say "${line[*]}"
  # Package lists may be absent (nothing to choose from) or old (404 on download): only then fetch them.
  if "${line[@]}" --simulate >/dev/null 2>&1 && "${line[@]}" >&2; then return; fi
  say "Package lists are absent or old: apt-get update, then once more."
  "${as_root[@]}" apt-get update >&2 || say "apt-get update failed."
  "${line[@]}" >&2 || die "the packages could not be installed; is there a network?"
}

# configure FOLDER [cmake option...]: quiet unless it fails.
configure() {
  local folder=$1 log
  shift
  if command -v ccache >/dev/null; then set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"; fi
  mkdir -p "$folder"
  log=$folder/configure.log
  cmake -S . -B "$folder" -G Ninja "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    die "cmake could not configure $folder"
  }
}

# build FOLDER [target...]: ninja's own progress line.
build() {
  local folder=$1
  shift
  ninja -C "$folder" "$@" >&2 || die "the build in $folder failed"
}
