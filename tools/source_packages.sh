# Downloads source packages of the distribution; sourced after common.sh by the scripts that compile dependencies.
# Needs $work, a temporary folder, and the programs apt-get and dpkg-source.
# shellcheck shell=bash disable=SC2154  # the script that sources this sets $work

# prepare_source_index: fetches the index of the source packages. They come from the machine's package sources, with
# each entry turned into one for sources, in a separate index, because the machine's own may not list them.
prepare_source_index() {
  local entries
  mkdir -p "$work/index/partial" "$work/sources"
  for entries in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ -f $entries ]] || continue
    case $entries in
      *.list) sed -n 's/^deb /deb-src /p' "$entries" >"$work/sources/$(basename "$entries")" ;;
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$entries" >"$work/sources/$(basename "$entries")" ;;
    esac
  done
  apt_of_sources=(-o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts="$work/sources" -o Dir::State::lists="$work/index"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -qq)
  apt-get "${apt_of_sources[@]}" update || fail "cannot download the index of the source packages"
}

# fetch_source NAME: unpacks the package, with the distribution's patches, in $work/source/NAME; prints the version.
# Tries the newest version first; a mirror may lack it.
fetch_source() {
  local version
  mkdir -p "$work/download/$1" "$work/source"
  for version in $(apt-cache "${apt_of_sources[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -rVu); do
    if (cd "$work/download/$1" && apt-get "${apt_of_sources[@]}" source --download-only "$1=$version") >/dev/null 2>&1; then
      dpkg-source --no-check -x "$work/download/$1"/*.dsc "$work/source/$1" >/dev/null 2>&1 || return 1
      echo "$version"
      return
    fi
  done
  return 1
}

# need_nasm: adds the assembler of libjpeg-turbo's SIMD code to the PATH, from its package if it is not installed.
need_nasm() {
  command -v nasm >/dev/null && return
  (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download nasm && dpkg -x nasm_*.deb "$work/nasm") ||
    fail "nasm not found and cannot be downloaded; run apt-get update"
  PATH=$work/nasm/usr/bin:$PATH
}
