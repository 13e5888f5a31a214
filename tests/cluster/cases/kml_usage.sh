. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cluster/cases/slice_lib.sh"
# Tests the GPU hours and the timeline of a preempted job. If kml watches the job, it records the lost steps.
# Otherwise, the cluster forgets the deleted pod, and kml says that the pod's time is unknown. The runs
# compete for a MIG slice that only this case has. Two users submit them to two Kueue queues; Kueue does not
# run here.
need_slices mig-1g.2gb 1
mkdir "$ck/watched" "$ck/alone"
# The first attempt does ten steps. The second one continues at the sixth and reports both attempts.
cat >"$ck/steps.sh" <<'END'
say() { echo "kml-attempt: {\"attempt\":$1,\"pod\":\"$HOSTNAME\",\"start\":\"$2\",\"first_step\":$3,\"last_step\":$4$5}"; }
start=$(date -u +%Y-%m-%dT%H:%M:%SZ)
if [ -e /ck/first ]; then
  [ "$1" = silent ] || { cat /ck/first; say 2 "$start" 5 9 ""; }
  sleep 3
  exit
fi
trap 'say 1 "$start" 0 9 ",\"end\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\",\"reason\":\"SIGTERM\"" >/ck/first; exit 143' TERM
sleep 6
touch /ck/began
while :; do sleep 0.1; done
END
train() { # USER QUEUE NAME HOW FLAG...
  local user=$1 queue=$2; shift 2
  USER=$user "$KML" submit --no-check --name "$1" --label "kueue.x-k8s.io/queue-name=$queue" --gpus $slice:1 "${on_node1[@]}" --mount "host$ck/$1:/ck" --mount "host$ck/steps.sh:/steps.sh" \
    "${@:3}" -- /bin/busybox sh /steps.sh "$2"
}
began() { [ -e "$ck/$1/began" ]; }
# Preempts the job, and then lets it start again.
interrupt() { # NAME PREEMPTOR
  eventually began "$1"
  preempt "$2"
  runs() { [ "$(k get job "$1" -o jsonpath='{.status.ready}')" = 1 ]; }
  eventually runs "$2"
  expect 0 "$KML" delete "$2"
}
train ana vision watched loud --follow >watched.out 2>watched.err &
interrupt watched rival
wait $! || fail "$(cat watched.err)"
train ben speech alone silent
interrupt alone passer-by
expect 0 k wait --for=condition=complete job/alone --timeout=1000s
# For two periods nothing is reported: from the job's creation to the start of its first attempt, and from the
# end of that attempt to the second pod. kml fills only gaps of a few seconds.
k get job watched -o json >job.json
k get pods -l job-name=watched -o json >pods.json
read -r covered late < <(python3 - "$ck/watched/first" <<'P'
import datetime, json, sys
time = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
job, pods = json.load(open("job.json")), json.load(open("pods.json"))["items"]
first = json.loads(open(sys.argv[1]).read().partition(": ")[2])
created, ended = time(job["metadata"]["creationTimestamp"]), time(job["status"]["completionTime"])
late = max(0, time(pods[0]["metadata"]["creationTimestamp"]) - time(first["end"]) - 10)
unknown = max(0, time(first["start"]) - created - 5) + late
print(1 - unknown / (ended - created) - 0.1, late)
P
)
k delete events --all >/dev/null

account() { expect 0 "$KML" eff "$1" -o json; }
check() { python3 -c "import json, sys
found = json.load(sys.stdin)
$1" <<<"$out" || fail "$1: $out"; }
account watched
check '
hours = found["gpuHours"]
assert hours["lostGpuHours"] > 2 / 3600 and hours["unclearGpuHours"] == 0 and hours["covered"] > '$covered', hours'
account alone
check '
hours = found["gpuHours"]
assert hours["lostGpuHours"] == hours["unclearGpuHours"] == 0 and hours["covered"] < 1, hours'
expect 0 "$KML" timeline watched -o json
check '
kinds = [bar["kind"] for bar in found[0]["rows"][0]["bars"]]
assert "lost" in kinds and ("preempted" in kinds or '$late' > 0) and kinds[-1] == "running", found'
expect 0 "$KML" timeline alone -o json
check 'assert "unknown" in [bar["kind"] for bar in found[0]["rows"][0]["bars"]], found'
expect 0 "$KML" usage --by gpu -o json
check '
row = [each for each in found["rows"] if each["gpu"] == "mig-1g.2gb"][0]
assert row["jobs"] == 4 and row["lostGpuHours"] > 2 / 3600 and row["stoppedGpuHours"] > 0, row
assert 0 < row["covered"] < 1, row'

expect 0 "$KML" usage --by user,queue,gpu -o json
check '
row = {(each["user"], each["queue"]): each for each in found["rows"] if each["gpu"] == "mig-1g.2gb"}
ana, ben = row["ana", "vision"], row["ben", "speech"]
assert len(row) == 3 and ana["jobs"] == ben["jobs"] == 1, row
assert ana["lostGpuHours"] > 2 / 3600 and ana["covered"] > '$covered' and ben["lostGpuHours"] == 0 and ben["covered"] < 1, row'

# When the jobs are gone, their record remains, even for kml runs.
lost=$(python3 -c 'import json, sys; print(sum(row["lostGpuHours"] for row in json.load(sys.stdin)["rows"]))' <<<"$out")
expect 0 "$KML" delete watched alone
expect 0 "$KML" usage -o json
check "assert found['total']['jobs'] == 4 and abs(found['total']['lostGpuHours'] - $lost) < 1e-6, found"
expect 0 "$KML" runs --where 'name == "watched"' -o json
check '
facts = found[0]["facts"]
assert float(facts["GPU hours"].partition(" (")[0]) > 2 / 3600 and facts["image digest"].startswith("sha256:"), facts'
