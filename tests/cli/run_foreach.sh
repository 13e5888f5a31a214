# foreach over a list that a step makes: its steps are known once that step has ended, and stay the same when the
# engine is killed.
. "$(dirname "$0")/lib.sh"
echo 1 >code
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: many}
spec:
  params: {n: {type: int, default: 3}}
  defaults: {code: {paths: [code]}}
  steps:
    load:
      command: [sh, -c, 'seq -s , ${params.n} | sed "s/.*/[&]/" >${out.seeds}']
      outputs: {seeds: value}
    score:
      foreach: {seed: load.seeds, kind: [a, b], parallel: 2}
      command: [sh, -c, 'echo score-${item.seed}${item.kind} >>ran; while [ -e hold ]; do sleep 0.05; done; echo score=0.${item.seed}']
      outputs: {score: metric}
    pick:
      when: max(score.score) > 0.2
      inputs: {scores: score.score}
      command: [echo, {$splice: '${in.scores}'}]
Y
expect 0 "$KML" run pipeline.yaml --dry-run
contains "$out" "the number of steps depends on load.seeds"

# The engine is killed while the first two steps run, and the same six steps continue. Meanwhile, other
# processes can read the state of these steps.
touch hold
"$KML" run pipeline.yaml --name m1 >first 2>&1 &
pid=$!
two_run() { [ "$(wc -l <ran)" = 2 ]; }
eventually two_run
expect 0 "$KML" run status m1 -o json
[ "$(grep -c '"name": "score-' <<<"$out")" = 6 ] || fail "not six steps: $out"
kill -9 $pid
wait $pid 2>/dev/null || true
rm hold
expect 0 timeout 1000 "$KML" run resume m1
contains "$out" "pick done"
[ "$(sort ran | uniq -d | wc -l) $(wc -l <ran)" = "0 6" ] || fail "ran: $(cat ran)"
expect 0 "$KML" run status m1
contains "$out" "6 steps"
expect 0 "$KML" run logs m1 pick
[ "$out" = "0.1 0.1 0.2 0.2 0.3 0.3" ] || fail "$out"
expect 0 "$KML" run logs m1 score
[ "$(grep -c score= <<<"$out")" = 6 ] || fail "the logs of score: $out"

# If the list is cached, its steps are known before a run. If the list becomes longer, only the new steps run.
expect 0 "$KML" run pipeline.yaml --dry-run
[ "$(grep -c HIT <<<"$out")" = 8 ] || fail "$out"
contains "$out" "FOREACH  6 steps"
expect 0 timeout 1000 "$KML" run pipeline.yaml -p n=4
[ "$(grep -c cached <<<"$out")" = 6 ] || fail "$out"
[ "$(wc -l <ran)" = 8 ] || fail "ran: $(cat ran)"
expect 0 timeout 1000 "$KML" run pipeline.yaml --until score -p n=1
[[ "$out" != *pick* ]] || fail "$out"

# Steps of a foreach may read other steps' outputs, and their settings may name items; mistakes are reported before anything
# runs.
sed "s/kind: \[a, b\], //; s/      command: .*score-.*/      inputs: {before: load.seeds, file: {path: code}}\n      command: [sh, -c, 'cat \${in.file}; echo score=0.\${item.seed} # \${in.before}']\n      cpu: 0.\${item.seed}/" pipeline.yaml >reads.yaml
expect 0 timeout 1000 "$KML" run reads.yaml
contains "$out" "score-2 done"
sed 's/cpu: .*/memory: many/' reads.yaml >wrong.yaml
expect 2 timeout 1000 "$KML" run wrong.yaml
contains "$err" "many"

# A value that is not a list is described in the error.
sed 's/seq .*>\$/echo seven >$/' pipeline.yaml >wrong.yaml
expect 3 timeout 1000 "$KML" run wrong.yaml
contains "$err" 'load.seeds is not a list or a map in JSON: "seven"'
