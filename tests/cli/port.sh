# `kml port`: wrong ports and jobs that are not running are reported before any port is bound.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
expect 2 "$KML" port bert
for wrong in x 70000 1:2:3 8888:; do
  expect 2 "$KML" port bert $wrong
  contains "$err" "\"$wrong\" is not a port"
done
expect 1 "$KML" port bert 8888
contains "$err" 'no job "bert"'
expect 0 "$KML" submit --image none --name large --cpu 100000 --no-check -- true
expect 1 "$KML" port large 8888
contains "$err" "not running"
# The pods of a job without ranks replace each other: when the first is gone, connections go to another.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >pair.yaml <<Y
apiVersion: batch/v1
kind: Job
metadata: {name: pair}
spec:
  parallelism: 2
  completions: 2
  template: {spec: {restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{name: main, image: none,
    command: [sh, -c, "until python3 -m http.server --bind 127.0.0.1 $port; do sleep 0.1; done"]}]}}
Y
expect 0 "$KML" submit -f pair.yaml
both_run() { [ "$("$KML" list -o jsonpath='{.items[?(@.metadata.name=="pair")].status.ready}')" = 2 ]; }
eventually both_run
"$KML" port pair ":$port" >forwarding 2>notes & forwarder=$!
eventually grep -q '^127' forwarding
here=$(sed -n 's/127.0.0.1:\([0-9]*\) .*/\1/p' forwarding)
eventually curl -fsS "http://127.0.0.1:$here/"
kubectl delete pod "pair-$(sed -n 's|.*-> pair/\(.*\) port.*|\1|p' forwarding)" >/dev/null
eventually curl -fsS "http://127.0.0.1:$here/"
kill $forwarder
wait $forwarder && fail "a signal ended it without 130" || [ $? = 130 ]
