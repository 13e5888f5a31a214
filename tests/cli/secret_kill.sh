. "$(dirname "$0")/lib.sh"
# Submits are killed at random moments. After one more submit, no job lacks its secret, and no secret lacks its job.
export API_KEY=x
expect 0 "$KML" submit --name before -- true
submits=40
for i in $(seq $submits); do
  "$KML" submit --name "killed-$i" --secret API_KEY -- true >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$((RANDOM % 5))$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
done
expect 0 "$KML" submit --name after -- true
"$KML" local kubeconfig >kubeconfig
KUBECONFIG=$work/kubeconfig kubectl get jobs,secrets -o json >objects.json
python3 - <<'P'
import json
items = json.load(open("objects.json"))["items"]
jobs = {item["metadata"]["name"]: item for item in items if item["kind"] == "Job"}
secrets = {item["metadata"]["name"]: item for item in items if item["kind"] == "Secret"}
killed = [job for name, job in jobs.items() if name.startswith("killed-")]
for job in killed:
    (wanted,) = (
        variable["valueFrom"]["secretKeyRef"]["name"]
        for variable in job["spec"]["template"]["spec"]["containers"][0]["env"]
        if "secretKeyRef" in variable.get("valueFrom", {})
    )
    owners = secrets.pop(wanted)["metadata"]["ownerReferences"]
    assert [owner["uid"] for owner in owners] == [job["metadata"]["uid"]], owners
assert not secrets, f"of no job: {list(secrets)}"
print(len(killed), "jobs")
P
[ -z "$(ls "$XDG_STATE_HOME"/kml/submits)" ] || fail "a note was left"
