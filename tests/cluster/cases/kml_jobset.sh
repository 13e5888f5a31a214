. "$(dirname "$0")/lib.sh"
# With the real JobSet controller: ranks meet by name, a failure restarts all of them, and a sweep's trials can be
# JobSets.
running() { # JOBSET COUNT: whether this many of its pods are running
  [ "$(k get pods -l jobset.sigs.k8s.io/jobset-name="$1" --field-selector status.phase=Running -o name | wc -l)" = "$2" ]
}
listed() { "$KML" list --no-headers | grep -q "$1 .*$2"; } # JOBSET STATE
cat >ranks.sh <<'S'
echo "rank $RANK of $WORLD_SIZE, master $MASTER_ADDR:$MASTER_PORT"
if [ $RANK = 0 ]; then
  [ -f /seen/first ] || { echo >/seen/first; exit 7; }
  echo "here is rank 0" | /bin/busybox nc -l -p $MASTER_PORT
else
  until heard=$(/bin/busybox nc $MASTER_ADDR $MASTER_PORT) && [ -n "$heard" ]; do /bin/busybox sleep 0.2; done
  echo "rank $RANK heard: $heard"
fi
S
mkdir seen
expect 0 "$KML" submit -t jobset --name ranks --nodes 2 --retries 1 --mount "host$work/seen:/seen" "${on_node1[@]}" -- sh -c "$(cat ranks.sh)"
expect 0 "$KML" wait ranks --timeout 1000s
expect 0 k get jobset ranks -o 'jsonpath={.status.restarts} {.status.terminalState}'
[ "$out" = "1 Completed" ] || fail "not started anew once: $out"
expect 0 "$KML" logs ranks
contains "$out" "rank 0 of 2, master ranks-node-0-0.ranks:29500"
contains "$out" "rank 1 heard: here is rank 0"
expect 0 "$KML" status ranks
contains "$out" Succeeded
contains "$out" "Restarts   1"
# The pods of the first attempt are gone, but the cluster still has their events.
expect 0 "$KML" history ranks
[ "$(grep -c ' ranks-node-0-0-' <<<"$out")" = 2 ] || fail "not two attempts of rank 0: $out"
[[ $out == *"its pod was deleted"* && $err != *"neither pods nor events"* ]] || fail "$out$err"

expect 0 "$KML" submit -t jobset --name long --nodes 2 --grace 1s "${on_node1[@]}" -- /bin/busybox sleep 10000
eventually running long 2
expect 0 "$KML" suspend long
eventually running long 0
eventually listed long Suspended
expect 0 "$KML" resume long
eventually running long 2
expect 0 "$KML" cancel long
eventually running long 0
eventually listed long Cancelled

expect 3 "$KML" submit --follow -t jobset --name fails --nodes 2 "${on_node1[@]}" -- sh -c 'echo to no avail; exit 5'
expect 0 "$KML" status fails
contains "$out" Failed

expect 0 "$KML" sweep run s -t jobset --nodes 2 --param x=1..3 --maximize score --algorithm grid "${on_node1[@]}" -- \
  sh -c '[ {x} != 3 ] || exit 1; [ $RANK = 1 ] || echo score={x}0'
contains "$err" "best: x=2"
expect 0 "$KML" sweep status s
contains "$out" "best score 20 (trial 1)"
contains "$out" "exit code 1"

# Tests a user's own JobSet. It ends with its driver, whose log has the metric.
cat >sweep.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Sweep
metadata: {name: own}
spec:
  objective: {type: minimize, objectiveMetricName: loss}
  algorithm: {algorithmName: grid}
  parameters: [{name: lr, parameterType: discrete, feasibleSpace: {list: ["0.1", "0.2"]}}]
  trialTemplate:
    trialSpec:
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      spec:
        successPolicy: {operator: All, targetReplicatedJobs: [driver]}
        replicatedJobs:
        - name: driver
          template:
            spec:
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  nodeSelector: {kubernetes.io/hostname: node1}
                  containers: [{name: main, image: "localhost/busybox:1", command: [sh, -c, "echo loss={lr}"]}]
        - name: helper
          template:
            spec:
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  nodeSelector: {kubernetes.io/hostname: node1}
                  containers: [{name: main, image: "localhost/busybox:1", command: [/bin/busybox, sleep, "600"]}]
Y
expect 0 "$KML" sweep run -f sweep.yaml
contains "$err" "best: lr=0.1"
