# Loading libcurl and its dependencies takes milliseconds, so a command such as version, which contacts no server, does
# not load them.
. "$(dirname "$0")/lib.sh"
LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/loaded "$KML" version >/dev/null
contains "$(cat "$work"/loaded.*)" libc.so
! grep -E 'libcurl|libssl|libgnutls|libmicrohttpd' "$work"/loaded.* || fail "kml version loads it"
