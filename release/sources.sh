# For release/dependencies and release/dependencies-macos, which source it in the folder where they build: Debian's source
# packages, by the machine's own package sources, of which it may not have the lists of sources.

use_package_lists() { # TYPES: "deb-src", or also "deb"
  local list type
  mkdir -p apt/lists/partial apt/parts apt/archives/partial
  options=(-q -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/apt/parts"
    -o "Dir::State::lists=$PWD/apt/lists")
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed "s/^Types:.*/Types: $1/" "$list" >"apt/parts/$(basename "$list")"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || for type in $1; do sed -n "s/^deb /$type /p" "$list"; done >"apt/parts/$(basename "$list" .list).list"
  done
}
apt() { apt-get "${options[@]}" "$@"; }

# The newest source of each package that can be downloaded, as "NAME=VERSION": the package server may lack one that its
# list names, most of all in the days after a security update.
newest_sources() { # NAME...
  local name version
  for name in "$@"; do
    for version in $(apt-cache "${options[@]}" showsrc --only-source "$name" | sed -n 's/^Version: //p' | sort -urV) none; do
      (cd apt && apt source --download-only --dsc-only "$name=$version" >/dev/null 2>&1) && break
      echo "release: warning: cannot download the source of $name $version" >&2
    done
    [ "$version" != none ] || return 1
    echo "$name=$version"
  done
}
