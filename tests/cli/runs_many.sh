. "$(dirname "$0")/lib.sh"
# Conditions and names find old runs among many. To save time, kml parses the objects of a run only if they
# may match.
expect 0 "$KML" submit --name oldest -- printf 'loss=%s\n' -1
oldest_has_ended() { "$KML" list oldest | grep -q Succeeded; }
eventually oldest_has_ended
python3 - >>"$XDG_STATE_HOME/kml/runs.jsonl" <<'END'
import json
def line(**members):
    print(json.dumps(members, sort_keys=True, separators=(",", ":")))
for i in range(120):
    name, run = f"job-{i}", f"{i:016x}"
    container = {"name": "main", "image": "img:1", "env": [{"name": "SEED", "value": str(i)}]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"},
           "spec": {"template": {"spec": {"containers": [container]}}}}
    line(command=["python", "train.py", f"--lr={i / 100}"], context="none", intent=True, namespace="default", objects=[job], run=run,
         time="2026-01-01T00:00:00Z", user="ana")
    line(made=[f"Job/{name}"], sentOf=run)
    line(cause="", finished="2026-01-01T00:10:00Z", job=f"Job/{name}", outcome="Failed" if i == 4 else "Succeeded", outcomeOf=run)
    line(metrics={"loss": {"count": 1, "last": i, "max": i, "min": i}}, metricsOf=run)
END

# The outcome and the metrics of the oldest run have not been looked up so far.
cp "$XDG_STATE_HOME/kml/runs.jsonl" unread
for question in "--where 'loss < 0'" "--where 'state == \"Succeeded\" && name == \"oldest\"'" "--sort loss --limit 1"; do
  cp unread "$XDG_STATE_HOME/kml/runs.jsonl"
  eval "expect 0 \"\$KML\" --context local runs $question"
  [[ "$out" =~ oldest\ +Succeeded.*loss=-1 ]] || fail "$question: $out"
done

expect 0 "$KML" --context local runs --where 'loss < 3 && lr >= 0.01'
[[ "$out" =~ job-1\ .*job-2\  && ! "$out" =~ job-0\  && ! "$out" =~ job-3\  ]] || fail "$out"
expect 0 "$KML" --context local runs --where 'state == "Failed"'
[[ "$out" =~ job-4\  && ! "$out" =~ job-5\  ]] || fail "$out"
expect 0 "$KML" --context local runs --where 'env.SEED == 7 || name == "job-119"'
[[ "$out" =~ job-7\ .*job-119\  ]] || fail "$out"
expect 0 "$KML" --context local runs --where 'loss > 1000' --sort loss
contains "$err" "no matching runs"
expect 2 "$KML" --context local runs --where 'los > 1'
contains "$err" 'did you mean "loss"?'

expect 0 "$KML" --context local runs compare job-3 0000000000000007 --all
contains "$out" "job-3 00000000"
contains "$out" "job-7 00000000"
expect 2 "$KML" --context local runs compare job-3 jobb-5
contains "$err" 'did you mean "job-5"?'
expect 2 "$KML" --context local runs compare job-3 00000
contains "$err" "several runs start with"
