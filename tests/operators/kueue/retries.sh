. "$(dirname "$0")/lib.sh"
# Ranks that fail together are tried again, each at most once with --retries 1; the last failure ends the job, and frees
# its quota. Trials of a sweep that fail free theirs, too.
queue lq 2
fails=(--queue lq --gpus 1 --image localhost/busybox:1 --node-selector type=kwok --set spec.template.metadata.annotations.kwok/run-for=1s
  --set 'spec.template.metadata.annotations.kwok/exit-code="5"')
expect 0 "$KML" submit --name crash --nodes 2 --retries 1 "${fails[@]}" -- train
job next 2
expect 3 "$KML" wait crash --timeout 600s
expect 0 "$KML" why crash
contains "$out" "exit code 5"
contains "$out" "its only retry is used up"
for rank in 0 1; do
  made=$(k get pods -l "job-name=crash,batch.kubernetes.io/job-completion-index=$rank" -o name | wc -l)
  [ "$made" -ge 1 ] && [ "$made" -le 2 ] || fail "rank $rank: $made pods"
done
[ "$(k get pods -l job-name=crash -o name | wc -l)" -ge 3 ] || fail "no second attempt"
eventually is_admitted next
expect 0 "$KML" cancel next

expect 3 "$KML" sweep run gangs --param x=1..2 --trials 2 --retries 1 --nodes 2 "${fails[@]}" --minimize loss -- train {args}
contains "$err" "2 of 2 trials done, 0 running, 2 without a result"
is_free() { [ "$(k get workloads -o json | python3 -c 'import json, sys
print(sum(not any(c["type"] == "Finished" and c["status"] == "True" for c in w["status"].get("conditions", [])) for w in json.load(sys.stdin)["items"]
          if w["spec"].get("active", True)))')" = 0 ]; }
eventually is_free
