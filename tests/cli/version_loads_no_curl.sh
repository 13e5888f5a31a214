# libcurl and what it brings along cost milliseconds: commands that talk to no server do without.
. "$(dirname "$0")/lib.sh"
LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/loaded "$KML" version >/dev/null
contains "$(cat "$work"/loaded.*)" libc.so
! grep -E 'libcurl|libssl|libgnutls|libmicrohttpd' "$work"/loaded.* || fail "kml version loads it"
