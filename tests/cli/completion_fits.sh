# Completion offers only words that the command can use.
. "$(dirname "$0")/lib.sh"
# Prints only the offered values, on one line.
offers() { "$KML" __complete -- "$@" | tail -n +2 | cut -f1 | tr '\n' ' '; }
kind() { "$KML" __complete -- "$@" | head -n 1; }
# On a busy machine, the server may answer too late for a TAB, which then offers nothing.
is() { # WANTED WORDS...
  local wanted=$1 got; shift
  offers_it() { got=$(offers "$@"); [ "$got" = "${wanted:+$wanted }" ] || { echo "kml $*<TAB> offers \"$got\", not \"$wanted\""; false; }; }
  eventually offers_it "$@"
}

# TAB does not start the embedded server.
is "" cancel ""
[ ! -e "$XDG_STATE_HOME/kml/local/server.pid" ] || fail "TAB started the server"

"$KML" local up --fake-gpus 1 >/dev/null
cat >objects.yaml <<'Y'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 10
---
apiVersion: v1
kind: Namespace
metadata: {name: research}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: datasets}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
Y
expect 0 "$KML" submit -f objects.yaml
expect 0 "$KML" submit --name ended --wait -- true
expect 0 "$KML" submit --name running --gpus 1 -- sleep 10000
expect 0 "$KML" submit --name held --set spec.suspend=true -- true
expect 0 "$KML" submit --name waiting --gpus 1 -- true
runs() { [[ "$("$KML" list --state running -o name)" == *running ]]; }
eventually runs

all="ended held running waiting"
sorted() { tr ' ' '\n' <<<"$1" | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//'; }
jobs_of() { # WANTED WORDS...
  local wanted=$1 got; shift
  offers_them() { got=$(sorted "$(offers "$@")"); [ "$got" = "$wanted" ] || { echo "kml $*<TAB> offers \"$got\", not \"$wanted\""; false; }; }
  eventually offers_them "$@"
}
jobs_of "held running waiting" cancel ""
jobs_of "held" resume ""
jobs_of "running waiting" suspend ""
jobs_of "ended running" logs ""
jobs_of "$all" logs -f ""
jobs_of "held running waiting" wait ""
jobs_of "$all" wait --for=delete ""
for command in status delete history why; do jobs_of "$all" $command ""; done
jobs_of "$all" submit --after ""
jobs_of "held waiting" cancel running ""  # only jobs that are not yet on the command line
is "" why ended ""                        # why takes only one job
is "running" cancel ru
is "running" cancel -- ru
is "" -n research cancel ""

is "urgent" submit --priority ur
is "--priority=urgent" submit --priority=u
contains "$(offers -n "")" "research"
is "local" list --context lo
is "pvc/datasets:" submit --mount pvc
[ "$(kind submit --mount pvc)" = parts ] || fail "a space after pvc/datasets:"
[ "$(kind submit --mount ./)" = files ] || fail "no folders for --mount ./"
contains "$(offers submit -t "")" "pytorchjob"
[ "$(kind submit -t ./)" = files ] || fail "no files for -t ./"
contains "$(offers wait --for=)" "--for=condition=Complete"
is "failed" list --state fai
is "failed,cancelling failed,cancelled" list --state failed,ca
contains "$(offers list --sort "")" "newest"
is "jsonpath=" list -o jsonp
[ "$(kind list -o jsonp)" = parts ] || fail "a space after jsonpath="
is "" submit --queue "" # no Kueue here
# No names or files are offered for a number, a text or a label.
for flag in "list --limit" "list -l" "list --user" "submit --image" "submit --env" "submit --gpus" "submit --array" \
  "submit --name" "submit --secret" "logs --include" "logs --tail"; do
  is "" $flag ""
  [ "$(kind $flag "")" = values ] || fail "files as values of $flag"
done
for flag in "submit -f" "submit --code" "submit -D" "logs --save" "--kubeconfig" "trust"; do
  [ "$(kind $flag "")" = files ] || fail "no files for $flag"
done
# Flags are offered if the word begins with "-": the flags of the command, and the connection flags if it connects to a
# server.
contains "$(offers cancel -)" "--dry-run"
contains "$(offers cancel --con)" "--context"
is "" version --con
# After "--", a program's command line is completed. kml tells the shell how many of its words are before the
# cursor. An alias may contain the "--".
[ "$(kind submit -- "")" = "command 0" ] || fail "$(kind submit -- "")"
[ "$(kind submit --gpus 1 -- python -m x)" = "command 2" ] || fail "$(kind submit --gpus 1 -- python -m x)"
expect 0 "$KML" config alias gpu -- submit --gpus 1 --
[ "$(kind gpu python tr)" = "command 1" ] || fail "$(kind gpu python tr)"
contains "$(offers config alias x -- li)" "list"

# If a server does not answer, completion soon ends without offering anything.
cat >hanging.py <<'PY'
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
held = []
while True:
    held.append(server.accept())
PY
python3 hanging.py >port 2>/dev/null &
hanging=$!
trap 'code=$?; kill $hanging; finish $code' EXIT
eventually test -s port
cat >hanging.kubeconfig <<Y
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:$(cat port)"}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
Y
start=$(date +%s%N)
expect 0 env KUBECONFIG=hanging.kubeconfig timeout 1000 "$KML" __complete -- cancel ""
[ -z "$out" ] || fail "offered by a server that hangs: $out"
took=$((($(date +%s%N) - start) / 1000000))
[ $took -ge 900 ] || fail "it did not wait for the server: $took ms"
