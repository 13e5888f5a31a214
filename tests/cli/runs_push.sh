# kml runs push copies runs to an MLflow server, once: their parameters, metrics with steps, tags and outcome.
# The server is a fake with MLflow's limits; tests/peers/mlflow/run has the real one.
. "$(dirname "$0")/lib.sh"
server=
serve() { # FLAGS...
  rm -f port
  python3 "$SOURCE/tests/support/fake_mlflow.py" port "$@" & server=$!
  eventually test -s port
  uri=http://127.0.0.1:$(cat port)
}
stop() { kill $server; wait $server 2>/dev/null || true; }
trap 'status=$?; kill $server 2>/dev/null || true; finish $status' EXIT
state() { curl -s "$uri/state" >state.json; } # then ask PYTHON CONDITION
ask() { python3 -c "
import json
state = json.load(open('state.json'))
runs = state['runs']
run = runs[0]
metrics = sorted(m[:3] for m in run['metrics'])
assert $1, json.dumps(state, indent=1)[:3000]"; }

train='for step in 1 2 3; do echo "step=$step loss=0.$((10 - step)) acc@5=0.5"; done; echo "step=4 loss=nan"; echo "step=5 loss=inf"'
expect 0 "$KML" submit --name one --env 'BIG=inf' --wait -- sh -c "$train" sh --lr=0.1 --epochs 5 --opt adam "--$(printf 'x%.0s' {1..300})=long"
expect 3 "$KML" submit --name two --wait -- sh -c 'echo loss=1; exit 1'
expect 0 "$KML" runs tag one 'paper=yes' 'odd name?=§'
expect 0 "$KML" runs note one 'the best so far'

serve
expect 2 "$KML" runs push one
contains "$err" MLFLOW_TRACKING_URI
expect 2 "$KML" runs push --mlflow "$uri"
contains "$err" "RUN is missing"
expect 0 "$KML" runs push one --mlflow "$uri/#/experiments"
contains "$out" "run one pushed: $uri/#/experiments/1/runs/"
contains "$err" 'metric "acc@5" is "acc_5" in MLflow'
contains "$err" 'tag "odd name?" is "odd name_" in MLflow'
state
ask "state['experiments']['kml'] == '1' and len(runs) == 1 and run['name'] == 'one' and run['status'] == 'FINISHED'"
ask "run['params']['lr'] == '0.1' and run['params']['epochs'] == '5' and run['params']['env.BIG'] == 'inf' and [k for k in run['params'] if k.startswith('xxx') and len(k) == 250]"
ask "metrics == [['acc_5', 1, 0.5], ['acc_5', 2, 0.5], ['acc_5', 3, 0.5], ['loss', 1, 0.9], ['loss', 2, 0.8], ['loss', 3, 0.7], ['loss', 4, 'NaN'], ['loss', 5, 'Infinity']]"
ask "run['tags']['paper'] == 'yes' and run['tags']['odd name_'] == '§' and run['tags']['mlflow.note.content'] == 'the best so far'"
ask "run['tags']['kml.state'] == 'Succeeded' and run['end_time'] >= run['start'] > 1.6e12"

# If a run is pushed twice, even after the job was deleted, it is one run on the server, with the same values and the
# new note.
expect 0 "$KML" delete one
expect 0 "$KML" runs note one 'reviewed'
expect 0 env MLFLOW_TRACKING_URI="$uri" "$KML" runs push --where 'name == "one"'
contains "$out" "run one updated: "
contains "$out" "(0 new values)"
state
ask "len(runs) == 1 and len(metrics) == 8 and run['tags']['mlflow.note.content'] == 'reviewed'"

# To another experiment, pushes a failed run, and a sweep with its best trial's curve and its trials as nested
# runs.
expect 0 "$KML" sweep run tune --param lr=0.1,0.2 --algorithm grid --trials 2 --minimize loss \
  -- sh -c 'for e in 1 2 3; do echo "epoch=$e loss=$1"; done' sh '{lr}'
expect 0 "$KML" runs push two sweep/tune --mlflow "$uri" --experiment 'a b'
state
ask "[(r['name'], r['status']) for r in runs[1:]] == [('two', 'FAILED'), ('tune', 'FINISHED'), ('tune trial 0', 'FINISHED'), ('tune trial 1', 'FINISHED')] and runs[1]['experiment_id'] == state['experiments']['a b']"
ask "[m[1:3] for m in runs[2]['metrics'] if m[0] == 'loss'] == [[1, 0.1], [2, 0.1], [3, 0.1]] and runs[2]['params']['lr'] == '0.1'"
ask "[(r['params']['lr'], len(r['metrics']), r['tags']['mlflow.parentRunId'] == runs[2]['run_id']) for r in runs[3:]] == [('0.1', 3, True), ('0.2', 3, True)]"

# The files that a run has made are sent once.
expect 0 "$KML" submit --name made --output all=made --wait -- sh -c 'mkdir -p "made/a b"; echo w >made/model; echo x >"made/a b/§"; ln -s model made/link'
expect 0 "$KML" runs push --where 'name == "made"' --artifacts --mlflow "$uri" --experiment 'a b'
contains "$out" "(0 new values, 1 of 1 artifacts sent)"
expect 0 "$KML" runs push --where 'name == "made"' --artifacts --mlflow "$uri" --experiment 'a b'
contains "$out" "(0 new values, 0 of 1 artifacts sent)"
state
ask "{k.split('/', 3)[3]: v for k, v in state['artifacts'].items()} == {'job/all/model': 'w\n', 'job/all/a b/§': 'x\n'}"
stop

# An interrupted push continues: no value is missing, and only values that were not acknowledged are sent again.
expect 0 "$KML" submit --name long --wait -- sh -c 'seq -f "step=%.0f loss=0.5 acc=0.25" 1 20000'
serve --fail-at 30
expect 5 "$KML" runs push long --mlflow "$uri"
contains "$err" "503"
expect 0 "$KML" runs push long --mlflow "$uri"
state
ask "len(runs) == 1 and len({tuple(m) for m in run['metrics']}) == 40000"
stop

# Rejections say what to do.
serve --foreign-host
expect 4 "$KML" runs push one --mlflow "$uri"
contains "$err" "mlflow server --allowed-hosts 127.0.0.1"
stop
serve --user ana:secret
expect 4 "$KML" runs push one --mlflow "$uri"
contains "$err" MLFLOW_TRACKING_USERNAME
export MLFLOW_TRACKING_USERNAME=ana MLFLOW_TRACKING_PASSWORD=secret
expect 0 "$KML" runs push one --mlflow "$uri"
expect 2 "$KML" runs push one --mlflow http://mlflow.example:5000
contains "$err" "unencrypted HTTP"
unset MLFLOW_TRACKING_USERNAME MLFLOW_TRACKING_PASSWORD
expect 2 "$KML" runs push one --mlflow sqlite:///mlflow.db
contains "$err" "mlflow server --backend-store-uri sqlite:///mlflow.db"
expect 1 "$KML" runs push one --mlflow "$uri/wrong"
contains "$err" "no MLflow server at"
stop
expect 5 "$KML" runs push one --mlflow "$uri"
contains "$err" "no response from MLflow"
expect 5 env HTTPS_PROXY=http://ana:s3cret@127.0.0.1:9 "$KML" runs push one --mlflow https://mlflow.example
contains "$err" "the proxy http://127.0.0.1:9 does not answer (HTTPS_PROXY)"
contains "$err" "correct HTTPS_PROXY"
[[ $err != *s3cret* ]] || fail "a password is printed: $err"
