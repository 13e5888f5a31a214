# kill -9 of the embedded server while a pipeline runs: the engine starts the server again, and no step is lost or
# runs twice.
. "$(dirname "$0")/lib.sh"
echo 1 >code
{
  echo 'apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: served}
spec:
  defaults: {code: {paths: [code]}}
  steps:
    s1: {command: [sh, -c, "echo s1 >>ran; sleep 0.2; echo s1 >$0", "${out.file}"], outputs: {file: file}}'
  for i in 2 3 4 5 6; do
    cat <<Y
    s$i:
      inputs: {before: s$((i - 1)).file}
      command: [sh, -c, 'echo s$i >>ran; sleep 0.2; echo score=0.$i; cat "\$1" >"\$0"', "\${out.file}", "\${in.before}"]
      outputs: {file: file, score: {metric: score}}
Y
  done
} >p.yaml
expect 0 "$KML" local up
pid_file=$XDG_STATE_HOME/kml/local/server.pid
"$KML" run p.yaml >out1 2>err1 &
engine=$!
for step in 1 3 5; do
  begun() { grep -q "s$step" ran; }
  eventually begun
  kill -9 "$(cat "$pid_file")"
done
code=0
wait $engine || code=$?
[ $code = 0 ] || fail "exit $code: $(cat out1 err1)"
[ "$(tr '\n' ' ' <ran)" = "s1 s2 s3 s4 s5 s6 " ] || fail "ran: $(tr '\n' ' ' <ran)"
contains "$(cat out1)" "score=0.6"
