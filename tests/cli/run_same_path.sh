# Two runs whose steps write to the same `path:` at the same time: the second waits, and names the first.
. "$(dirname "$0")/lib.sh"
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: same}
spec:
  params: {n: {type: int, default: 1}}
  steps:
    make:
      command: [sh, -c, 'echo "$0" >text; : >"begun$0"; until [ -e go ]; do sleep 0.05; done', "${params.n}"]
      code: {paths: [p.yaml]}
      outputs: {text: {kind: file, path: text}}
Y
"$KML" run p.yaml --name one >one.out 2>&1 &
one=$!
eventually test -e begun1
"$KML" run p.yaml --name two -p n=2 >two.out 2>&1 &
two=$!
waits() { "$KML" run status two | grep -q "waits for run one, which writes to the same file"; }
eventually waits
[ ! -e begun2 ] || fail "both wrote at the same time"
touch go
wait $one || fail "exit $?: $(cat one.out)"
wait $two || fail "exit $?: $(cat two.out)"
for run in one two; do "$KML" artifact get $run/make.text $run.text >/dev/null 2>&1; done
[ "$(cat one.text two.text)" = $'1\n2' ] || fail "an output of the other run: $(head one.text two.text)"
