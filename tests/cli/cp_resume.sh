# `kml cp` resumes a copy whose connection broke, and one that was interrupted.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
own=$KUBECONFIG
through() { # BYTES CUTS|stall|none: KUBECONFIG leads through a proxy
  rm -f proxy
  "$SOURCE/tests/support/limited_proxy" "${url##*:}" "$@" >proxy 2>&1 & proxy=$!
  eventually grep -q . proxy
  sed "s|:${url##*:}|:$(head -1 proxy)|" "$own" >through
  chmod 600 through
  export KUBECONFIG=$work/through
}
direct() { # sets $cuts and $passed
  kill $proxy; wait $proxy
  read -r cuts passed <<<"$(tail -1 proxy)"
  export KUBECONFIG=$own
}
mkdir -p tree/many here there
head -c 30000000 /dev/urandom >tree/large
for i in $(seq 200); do head -c 20000 /dev/urandom >"tree/many/$i"; done
expect 0 "$KML" submit --image none --name bert -- sleep 10000
eventually "$KML" exec bert -- true

# Cuts the connection ten times, while the large file and while small files are sent.
through 2000000 10
expect 0 timeout 1000 "$KML" cp "bert:$work/tree" here
direct
contains "$err" "broke; continuing after"
[ "$cuts" = 10 ] || fail "$cuts cuts"
diff -r tree here/tree
[ "$passed" -lt 60000000 ] || fail "$passed bytes for 34 million"
through 2000000 10
expect 0 timeout 1000 "$KML" cp tree "bert:$work/there"
direct
contains "$err" "broke; continuing after"
[ "$cuts" = 10 ] || fail "$cuts cuts"
diff -r tree there/tree
[ "$passed" -lt 60000000 ] || fail "$passed bytes for 34 million"
[ -z "$(find here there -name '*.kml-part')" ] || fail "parts are left"

# An interrupted copy leaves no file under its final name, and the next copy continues it.
part_has() { [ "$(find "$1" -name "*large*" -size +10000k | wc -l)" -gt 0 ]; }
for target in here there; do
  rm -rf here there; mkdir here there
  through 20000000 stall
  words=("bert:$work/tree/large" here)
  [ $target = here ] || words=(tree/large "bert:$work/there")
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler); os.execv(sys.argv[1], sys.argv[1:])' \
    "$KML" cp "${words[@]}" 2>interrupted & copy=$!
  eventually part_has $target
  kill -INT $copy
  got=0; wait $copy || got=$?
  [ $got = 130 ] || fail "exit $got: $(cat interrupted)"
  grep -q "run the command again" interrupted || fail "not told: $(cat interrupted)"
  direct
  [ ! -e $target/large ] || fail "half a file is there"
  through 0 none
  expect 0 timeout 1000 "$KML" cp "${words[@]}"
  direct
  cmp tree/large $target/large
  [ "$passed" -lt 25000000 ] || fail "$passed bytes for the rest"
  [ -z "$(find $target -name '*.kml-part')" ] || fail "parts are left"
done

# A partial copy of an older version of the file does no harm.
head -c 10000000 /dev/urandom >here/.large.kml-part
expect 0 timeout 1000 "$KML" cp "bert:$work/tree/large" here
cmp tree/large here/large
mkdir there/.large.kml-part
head -c 10000000 /dev/urandom >there/.large.kml-part/large
echo other >there/.large.kml-part/other
expect 0 timeout 1000 "$KML" cp tree/large "bert:$work/there"
cmp tree/large there/large
[ ! -e there/other ] || fail "something else was moved there"

# A server that stays unreachable has its own error.
through 0 none
direct
expect 5 timeout 1000 env KUBECONFIG="$work/through" "$KML" cp "bert:$work/tree/large" here
