# A sweep whose engine was killed says so, and how to continue it. A running or finished sweep does not say
# this.
. "$(dirname "$0")/lib.sh"
none() { [[ "$out" != *"no engine is running"* ]] || fail "$out"; }
"$KML" sweep run s1 --param x=1..2 --maximize score --algorithm grid -- sh -c "until [ -e '$work/go' ]; do sleep 0.1; done; echo score={x}" >run.out 2>&1 &
engine=$!
running() { "$KML" sweep status s1 | grep -q "2 running"; }
eventually running
for command in "status s1" list; do expect 0 "$KML" sweep $command; none; done
kill -9 $engine
wait $engine || true
expect 0 "$KML" sweep status s1
contains "$out" "no engine is running: kml sweep resume s1"
expect 0 "$KML" sweep list
contains "$out" "no engine is running: kml sweep resume s1"
touch go
expect 0 "$KML" sweep resume s1
for command in "status s1" list; do expect 0 "$KML" sweep $command; none; done
