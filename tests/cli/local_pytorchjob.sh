. "$(dirname "$0")/lib.sh"
# Ranks find each other by MASTER_ADDR and MASTER_PORT, in two jobs at the same time. A gang starts completely or not
# at all.
cat >rendezvous.py <<'EOF'
"""All ranks send their numbers to rank 0, which answers with the sum."""
import os, socket, sys, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    listener = socket.create_server(address)
    peers = [listener.accept()[0] for _ in range(world - 1)]
    time.sleep(float(sys.argv[2]))  # so that the jobs overlap
    ranks = sorted(int(peer.recv(16)) for peer in peers)
    for peer in peers:
        peer.sendall(f"{sys.argv[1]}:{sum(ranks)}".encode())
    print(f"{sys.argv[1]} ranks {ranks} of {world}")
else:
    while True:
        try:
            peer = socket.create_connection(address)
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    peer.sendall(str(rank).encode())
    print(f"rank {rank} got {peer.recv(64).decode()}")
EOF
# pytorchjob NAME WORKERS GPUS PRIORITY POLICY COMMAND...: prints a manifest.
pytorchjob() {
  python3 - "$@" <<'EOF'
import json, sys
name, workers, gpus, priority, policy, *command = sys.argv[1:]
def replica(count):
    container = {"name": "pytorch", "image": "any", "command": command}
    container["resources"] = {"limits": {"nvidia.com/gpu": int(gpus)}}
    spec = {"terminationGracePeriodSeconds": 2, "containers": [container]}
    if priority:
        spec["priorityClassName"] = priority
    return {"replicas": int(count), "restartPolicy": policy, "template": {"spec": spec}}
specs = {"Master": replica(1), "Worker": replica(workers)}
print(json.dumps({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name},
                  "spec": {"pytorchReplicaSpecs": specs}}))
EOF
}
runs() { grep -c "$1" runs; }

"$KML" local up --fake-gpus 2 >/dev/null 2>&1
for name in left right; do
  pytorchjob $name 2 0 "" Never python3 "$work/rendezvous.py" $name 0.5 >$name.json
done
expect 0 "$KML" submit -f left.json -f right.json
expect 0 "$KML" wait left right --timeout 1000s
for name in left right; do
  expect 0 "$KML" logs $name
  contains "$out" "$name ranks [1, 2] of 3"
  contains "$out" "rank 1 got $name:3"
  contains "$out" "rank 2 got $name:3"
done

# This job needs three GPUs, which the machine never has: none of its pods starts, and a smaller job overtakes
# this one.
pytorchjob wide 2 1 "" Never sh -c 'echo wide >>runs' | sed "s|>>runs|>>$work/runs|" >wide.json
expect 0 "$KML" submit -f wide.json
expect 0 "$KML" submit --name fits --gpus 2 --follow -- sh -c 'echo $CUDA_VISIBLE_DEVICES'
[[ "$out" == *"0,1" ]] || fail "$out"
expect 0 "$KML" status wide
contains "$out" "Waiting: no node has enough GPUs"
[ ! -e runs ] || fail "a part of a gang was started"
expect 0 "$KML" delete wide

# A gang with a higher priority preempts a whole gang, which later restarts as a whole.
expect 0 "$KML" submit -f - <<'EOF'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
EOF
pytorchjob low 1 1 "" OnFailure sh -c "echo low-\$RANK >>$work/runs; [ -e $work/go ] || exec sleep 1000" >low.json
pytorchjob high 1 1 urgent Never sh -c "echo high-\$RANK >>$work/runs; until [ -e $work/go ]; do sleep 0.05; done" >high.json
expect 0 "$KML" submit -f low.json
both() { [ "$(runs "$1-0")" = "$2" ] && [ "$(runs "$1-1")" = "$2" ]; }
eventually both low 1
expect 0 "$KML" submit -f high.json
eventually both high 1
both low 1 || fail "the preempted gang runs beside the other: $(cat runs)"
[ "$("$KML" list | grep -c Running)" = 1 ] || fail "$("$KML" list)"
touch go
expect 0 "$KML" wait low high --timeout 1000s
eventually both low 2  # a job ends with its master, and its worker may begin a moment later

# Restart policies: Never fails at once, OnFailure runs the program again, ExitCode does so after a signal, but not after exit code 2.
rm runs
pytorchjob never 0 0 "" Never sh -c "echo never >>$work/runs; exit 1" >never.json
pytorchjob again 0 0 "" OnFailure sh -c "echo again >>$work/runs; [ \$(grep -c again $work/runs) -ge 2 ]" >again.json
pytorchjob signal 0 0 "" ExitCode sh -c "echo signal >>$work/runs; [ \$(grep -c signal $work/runs) -ge 2 ] || sh -c 'kill -TERM \$PPID'" >signal.json
pytorchjob code 0 0 "" ExitCode sh -c "echo code >>$work/runs; exit 2" >code.json
expect 0 "$KML" submit -f never.json -f again.json -f signal.json -f code.json
expect 3 "$KML" wait never --timeout 1000s
expect 3 "$KML" wait code --timeout 1000s
expect 0 "$KML" wait signal again --timeout 1000s
[ "$(runs never) $(runs code) $(runs signal) $(runs again)" = "1 1 2 2" ] || fail "$(cat runs)"
