. "$(dirname "$0")/lib.sh"
"$KML" local up --fake-gpus 4 --node-label nvidia.com/gpu.product=Tesla-T4 >/dev/null
expect 0 "$KML" submit --name steps --gpus 3 -- sh -c 'echo step 10/1000 loss=0.5; echo saved checkpoint-10; exec sleep 1000'
told() { "$KML" top jobs --no-headers >now && grep -Eq '^steps .* 10/1000 .* ago .*loss=0.5' now; }
eventually told

# Shows who holds which resources, and what could start in the free ones.
expect 0 "$KML" top nodes --no-headers
[[ $out =~ t4\ +4\ +3\ +1\ +ready\ +-\ +3\ steps\ \( ]] || fail "$out"
[[ $out =~ t4\ +1\ +4\ +3\ +1\ +"1 pod x 1 GPU" ]] || fail "$out"
expect 0 "$KML" top nodes -o json
python3 -c 'import json,sys; t = json.load(sys.stdin)["types"]; assert t[0]["free"] == 1 and t[0]["couldStart"][0] == {"gpusPerPod": 1, "pods": 1}, t' <<<"$out"
expect 0 "$KML" top nodes --type h100
contains "$err" "no node has GPUs of type h100"
expect 1 "$KML" top queues
contains "$err" "found no Kueue or Volcano queues"
