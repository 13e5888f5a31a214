# `kml local down --force` stops a served model, the job of a schedule, a trial and a step. The next server
# starts them again. A user's own job stays suspended.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" serve model --replicas 2 -- sh -c 'exec python3 -m http.server --bind 127.0.0.1 $PORT'
url=$(tail -n 1 <<<"$out")
expect 0 "$KML" submit --name nightly --cron '0 3 * * *' -- sh -c 'echo x >>'"$work"'/starts; exec sleep 1000'
expect 0 "$KML" schedule run-now nightly
expect 0 "$KML" submit --name own -- sleep 1000
starts() { [ "$(cat starts | wc -l)" = "$1" ]; }
eventually starts 1
running() { "$KML" list | grep -q "$1.* Running"; }
eventually running own


# The first run of each program waits until it is stopped.
once() { echo "echo x >>$work/$1; [ \$(wc -l <$work/$1) -gt 1 ] || exec sleep 1000"; }
begun() { [ -s "$work/$1" ]; }
"$KML" sweep run s --param x=1..3 --maximize v --trials 1 -- sh -c "$(once trial); echo v={x}" >sweep.out 2>&1 &
sweep=$!
cat >p.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {a: {command: [sh, -c, '$(once step); echo 1 >"\${out.n}"'], outputs: {n: value}}}}
Y
"$KML" run p.yaml --name p-1 >run.out 2>&1 &
run=$!
eventually begun trial
eventually begun step

expect 0 timeout 1000 "$KML" local down --force
expect 0 "$KML" list
[[ "$out" =~ own\ +Suspended ]] || fail "$out"
eventually starts 2
wait $sweep || fail "$(cat sweep.out)"
wait $run || fail "$(cat run.out)"
serves() { "$KML" serve list | grep -q 'model.* 2/2 .* Running'; }
eventually serves
answers() { timeout 100 python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=60)' "$url"; }
eventually answers

# A model that a user has stopped stays stopped until it is served again.
expect 0 "$KML" local kubeconfig
echo "$out" >config
expect 0 kubectl --kubeconfig config scale deployment model --replicas 0
expect 0 timeout 1000 "$KML" local down --force
expect 0 "$KML" serve list
contains "$out" "Stopped"
expect 0 "$KML" serve model -- sh -c 'exec python3 -m http.server --bind 127.0.0.1 $PORT'
contains "$err" "1 of 1 replicas ready"
expect 0 timeout 100 "$KML" serve stop model
