. "$(dirname "$0")/lib.sh"
# If kml is killed at random moments of a submit, every job has a record. A record without a job says that kml was
# killed.
expect 0 "$KML" submit --name first -- true
for i in $(seq 30); do
  "$KML" submit --name "killed-$i" -- true >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$((RANDOM % 5))$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
done
"$KML" list -o json >jobs.json
for turn in 1 2; do # the second time, from what the first one has recorded
  expect 0 "$KML" history --limit 100 -o json
  python3 - <<'P'
import json
jobs = {job["metadata"]["labels"]["kml.dev/submit-id"] for job in json.load(open("jobs.json"))["items"]}
runs = {run["run"]: run for run in json.load(open("out"))}
assert jobs <= runs.keys(), jobs - runs.keys()
for key, run in runs.items():
    cut_off = run["cause"] == "kml was killed while it submitted the job"
    assert cut_off == (key not in jobs), run
print(len(jobs), "made,", len(runs) - len(jobs), "not")
P
done
