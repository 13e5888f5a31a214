. "$(dirname "$0")/lib.sh"
# If no revision of a served program is ready within --timeout, kml reports that with exit code 5, and the rollout
# continues. kml does not roll back to a revision that was never ready.
serve() { timeout 1000 "$KML" serve model --chdir "$work" "$@"; }
is() { timeout 1000 "$KML" serve status model | grep -q "^$1  *$2"; }
# Before the Deployment's controller has noticed a change, the number of replicas is unknown.
late() { [[ $err =~ error:\ model(:\ $1\ replicas\ ready|\ is\ not\ ready)\ after\ 1s ]] || fail "$err"; }
after='until test -e go; do sleep 0.1; done; exec python3 -m http.server $PORT'

expect 5 serve --timeout 1s -- sh -c "$after"
late "0 of 1"
contains "$err" "the rollout continues; \`kml serve list\` shows it, \`kml serve stop model\` stops it"
contains "$err" "\`kml why model\` shows what it waits for"
[[ $err != *"does not run"* && $err != *"rolled back"* ]] || fail "$err"
is State Starting || fail "it is not starting"
expect 0 timeout 1000 "$KML" why model
[[ $out == "model: Starting"* && $out != *"within 0s"* ]] || fail "$out"
contains "$out" "fix: wait until it is ready; \`kml serve logs model\` shows what it does"

# kml reports the same for an update of a program that was never ready, and does not roll back to the first
# revision.
expect 5 serve --timeout 1s -- sh -c "true; $after"
late "0 of 1"
[[ $err != *"kept serving"* && $err != *"rolled back to"* ]] || fail "$err"
expect 0 timeout 1000 "$KML" serve list
contains "$out" "sh -c 'true; until"

# As the error says, the rollout continues, and the program becomes ready later.
: >go
eventually is State Running

# If a revision gets more replicas, and one does not become ready, the ready replicas keep serving. The
# revision is still listed as one that was ready.
one='mkdir one 2>/dev/null || exec sleep 1000; exec python3 -m http.server $PORT'
expect 0 serve -- sh -c "$one"
expect 5 serve --replicas 2 --timeout 1s -- sh -c "$one"
late "1 of 2"
contains "$err" "the revision is still the same, so nothing is rolled back"
is Replicas "1 of 2 ready" || fail "no replica is left"
expect 0 serve --replicas 1 -- python3 -m http.server '$(PORT)'
expect 0 timeout 1000 "$KML" serve revisions model
grep -q '^3 .* was ready .* mkdir one' <<<"$(tr -d "'" <<<"$out")" || fail "$out"
expect 0 timeout 1000 "$KML" serve stop model

# `kml submit -t serve --wait` reports the same as `kml serve`.
rm go
expect 5 timeout 1000 "$KML" submit -t serve --name web --wait --timeout 1s --chdir "$work" -- sh -c "$after"
contains "$err" "the rollout continues"
expect 0 timeout 1000 "$KML" serve stop web
