. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cuts_lib.sh"
# A submit of many jobs whose connections are cut at random bytes creates each job exactly once, according to the API
# server's audit log. Numbers and seed, for tests/soak/submit_cuts: JOBS, CUTS, SEED.
jobs=${JOBS:-100} cuts=${CUTS:-20} seed=${SEED:-$RANDOM}
before=$(wc -l <"$cluster_state/audit.log")
job() {
  printf '{apiVersion: batch/v1, kind: Job, metadata: {name: %s}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}}\n---\n' "$1"
}
for i in $(seq "$jobs"); do job "cut-$i"; done >jobs.yaml
# The server may still be writing the record of a request when its client has ended.
recorded() { # PREFIX
  [ "$(tail -n +$((before + 1)) "$cluster_state/audit.log" | grep '"verb":"create"' | grep "\"namespace\":\"$namespace\"" |
    grep -o "\"name\":\"$1[0-9]*\"" | sort -u | wc -l)" -ge "$jobs" ]
}
# Checks the audit log: kml tried the expected names and no others, no job was created twice, and none was deleted. If a
# client is gone before the response, the log has a timeout (504), although the job may exist. So the existing jobs are
# checked, too.
made_once() { # PREFIX
  eventually recorded "$1"
  tail -n +$((before + 1)) "$cluster_state/audit.log" | python3 -c '
import collections, json, sys
namespace, prefix, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
answers, made, tried = collections.Counter(), collections.Counter(), set()
for line in sys.stdin:
    if not line.endswith("\n"):
        break  # being written
    event = json.loads(line)
    what, code = event.get("objectRef", {}), event["responseStatus"].get("code")
    if what.get("resource") != "jobs" or what.get("namespace") != namespace or not what.get("name", "").startswith(prefix):
        continue
    assert not event["verb"].startswith("delete"), event
    if event["verb"] == "create":
        answers[code] += 1
        tried.add(what["name"])
        made[what["name"]] += code == 201
print("answers to creates:", *(f"{count} times {code}," for code, count in answers.items()))
assert tried == {f"{prefix}{i + 1}" for i in range(jobs)}, tried
assert max(made.values()) == 1, made
' "$namespace" "$1" "$jobs"
  [ "$(k get jobs -o name | grep "/$1" | sort)" = "$(seq -f "job.batch/$1%.0f" "$jobs" | sort)" ] ||
    fail "other jobs: $(k get jobs -o name)"
}

expect 0 through_cuts "$KML" submit -f jobs.yaml
# The submit may end before the last cuts.
made=$(tail -1 <<<"$out" | cut -d ' ' -f 2)
[ "$made" -ge $((cuts / 2)) ] || fail "$made cuts, not $cuts: $out"
[ "$(grep -c '^job cut-[0-9]* submitted$' <<<"$out")" = "$jobs" ] || fail "not told of all: $out"
tail -1 <<<"$out"
made_once cut-

# kml itself is killed at any point, and the same submit with the same key is repeated until it succeeds.
sed s/cut-/key-/ jobs.yaml >keyed.yaml
for _ in $(seq 10); do
  "$KML" submit -f keyed.yaml --idempotency-key nightly >/dev/null 2>&1 &
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
done
expect 0 "$KML" submit -f keyed.yaml --idempotency-key nightly
made_once key-
