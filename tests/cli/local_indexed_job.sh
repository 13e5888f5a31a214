. "$(dirname "$0")/lib.sh"
# Many completions, fifty at a time: each index runs once, even though the server is killed in between.
cat >many.yaml <<EOF
apiVersion: batch/v1
kind: Job
metadata: {name: many}
spec:
  completions: 300
  parallelism: 50
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: any, command: [sh, -c, 'echo \$JOB_COMPLETION_INDEX >>$work/indexes']}
EOF
expect 0 "$KML" local up --cpu 64
expect 0 "$KML" submit -f many.yaml
some() { [ "$(wc -l <indexes)" -gt 100 ]; }
eventually some
pid=$(cat "$XDG_STATE_HOME/kml/local/server.pid")
kill -9 "$pid"
dead() { ! kill -0 "$pid"; }
eventually dead
expect 0 "$KML" wait many --timeout 1000s
sort -n indexes | cmp - <(seq 0 299) || fail "not each index once: $(sort -n indexes | uniq -c | awk '$1 > 1')"
