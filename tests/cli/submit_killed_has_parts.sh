. "$(dirname "$0")/lib.sh"
# If kml is killed at random moments, no Indexed Job lacks the Service through which its ranks find each other. The
# next submit hands each Service over to its job, and deletes Services without a job.
submit() { "$KML" submit -t job-indexed --name "$1" --nodes 2 -- true; }
expect 0 submit first
for i in $(seq 30); do
  submit "killed-$i" >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$((RANDOM % 6))$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
done
"$KML" local kubeconfig >kubeconfig
check() { # "owned": each Service must have its job as owner
  KUBECONFIG=$work/kubeconfig kubectl get jobs,services -o json >objects.json
  python3 - "$1" <<'P'
import json, sys
items = json.load(open("objects.json"))["items"]
jobs = {item["metadata"]["name"]: item for item in items if item["kind"] == "Job"}
services = {item["metadata"]["name"]: item for item in items if item["kind"] == "Service"}
assert jobs.keys() <= services.keys(), jobs.keys() - services.keys()
if sys.argv[1] == "owned":
    assert jobs.keys() == services.keys(), services.keys() - jobs.keys()
    for name, service in services.items():
        assert [owner["uid"] for owner in service["metadata"]["ownerReferences"]] == [jobs[name]["metadata"]["uid"]], name
P
}
check any
expect 0 submit last
check owned
