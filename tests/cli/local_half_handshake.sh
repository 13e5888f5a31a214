# A client that stops in the middle of a TLS handshake keeps its connection for a while, but uses no CPU.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
asleep() { read -r -a stat <"/proc/$server/stat"; [ "${stat[2]}" = S ]; } # false for a busy loop, however slow the machine
exec {client}<>"/dev/tcp/127.0.0.1/${url##*:}"
printf '\x16\x03\x01\x02\x00\x01\x00\x01' >&"$client" # the beginning of a ClientHello
eventually asleep
looks=0
for _ in {1..20}; do
  sleep 0.05
  ! asleep || looks=$((looks + 1))
done
[ $looks -ge 10 ] || fail "asleep in $looks looks of 20"
[ "$(api "$url/readyz")" = ok ] || fail "the server does not answer meanwhile"
