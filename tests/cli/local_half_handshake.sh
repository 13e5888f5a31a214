# A client that stops in the middle of a TLS handshake keeps its connection for a while, but no processor.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
ticks() { read -r -a stat <"/proc/$server/stat"; echo $((stat[13] + stat[14])); }
exec {client}<>"/dev/tcp/127.0.0.1/${url##*:}"
printf '\x16\x03\x01\x02\x00\x01\x00\x01' >&"$client" # the head of a ClientHello
before=$(ticks)
sleep 1
used=$(($(ticks) - before))
[ $used -lt 5 ] || fail "$used hundredths of a second in one second"
[ "$(api "$url/readyz")" = ok ] || fail "the server does not answer meanwhile"
