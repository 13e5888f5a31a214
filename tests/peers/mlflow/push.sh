# MLflow's client reads what the runs logged, even after they were pushed twice, and after a push that was killed in
# the middle. tests/peers/mlflow/run starts this script.
. "$SOURCE/tests/cli/lib.sh"
servers=()
trap 'status=$?; [ $status = 0 ] || tail -n 20 server-*/log >&2; for pid in "${servers[@]}"; do kill -- "-$pid" 2>/dev/null || true; done; finish $status' EXIT
serve() { # FLAGS...: sets uri
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  mkdir -p "server-$port"
  MLFLOW_ALLOW_FILE_STORE=true setsid "$MLFLOW" server --backend-store-uri "sqlite:///$PWD/server-$port/mlflow.db" --artifacts-destination "$PWD/server-$port" \
    --host 127.0.0.1 --port "$port" --workers 1 "$@" >"server-$port/log" 2>&1 &
  servers+=($!)
  uri=http://127.0.0.1:$port
  eventually curl -sf "$uri/health"
}
read_back() { MLFLOW_TRACKING_URI=$uri "$PYTHON" "$SOURCE/tests/peers/mlflow/read.py" "$@" || fail "MLflow has something else"; }

train='for step in 1 2 3; do echo "step=$step loss=0.$((10 - step)) acc@5=0.5"; done; echo "step=4 loss=nan"; echo "step=5 loss=inf"; echo "step=6 loss=-inf"'
long=$(printf 'x%.0s' {1..300})
expect 0 "$KML" submit --name one --wait -- sh -c "$train" sh --lr=0.1 --epochs 5 "--$long=1" "--text=$(printf 'ä%.0s' {1..7000})"
expect 0 "$KML" runs tag one paper=yes 'odd name?=§'
expect 0 "$KML" runs note one 'the best so far'
serve
expect 0 "$KML" runs push one --mlflow "$uri" --experiment 'a/b §'
contains "$err" 'metric "acc@5" is "acc_5" in MLflow'
contains "$err" 'parameter "text" is cut to 6,000 characters in MLflow'
read_back one
expect 0 "$KML" delete one
expect 0 "$KML" runs push one --mlflow "$uri" --experiment 'a/b §'
contains "$out" "(0 new values)"
read_back one

# A FileStore keeps each metric in a file with its name, so no metric may have the name of another metric's folder.
expect 0 "$KML" submit --name folders --wait -- sh -c 'echo "step=1 val/acc=0.5 val=0.25 loss=1"'
sqlite=$uri
serve --backend-store-uri "$PWD/file-store"
expect 0 "$KML" runs push folders --mlflow "$uri"
contains "$err" 'metric "val" is "val_" in MLflow'
for metric in loss val_ val/acc; do [ -s file-store/*/*/metrics/$metric ] || fail "no $metric: $(find file-store)"; done
uri=$sqlite

# The push is killed in the middle and repeated. Every value arrives once.
expect 0 "$KML" submit --name long --wait -- sh -c 'seq -f "step=%.0f loss=0.5 acc=0.25" 1 20000'
before=$(cat server-*/log | grep -c 'runs/log-batch' || true)
"$KML" runs push long --mlflow "$uri" & push=$!
some_came() { [ "$(cat server-*/log | grep -c 'runs/log-batch')" -gt "$before" ]; } # MLflow's own client needs seconds to start
eventually some_came
kill -9 $push 2>/dev/null || echo "note: the push ended before it was killed"
wait $push 2>/dev/null || true
expect 0 "$KML" runs push long --mlflow "$uri"
read_back long

# Pushes a sweep with its trials as nested runs, the files that a step made, and the files that a program
# logged with MLflow.
expect 0 "$KML" sweep run tune --param lr=0.1,0.2 --algorithm grid --trials 2 --minimize loss \
  -- sh -c 'for e in 1 2 3; do echo "epoch=$e loss=$1"; done' sh '{lr}'
expect 0 "$KML" submit --name made --output all=made --wait -- sh -c 'mkdir -p "made/a b"; echo weights >"made/a b/§"'
cat >logs_file.py <<'P'
import mlflow
mlflow.log_text("kept", "notes/notes.txt")
P
expect 0 "$KML" submit --name logged --track mlflow --wait -- "$PYTHON" logs_file.py
expect 0 "$KML" runs push sweep/tune made logged --artifacts --mlflow "$uri" --experiment nested
read_back nested

# Without a server, kml reads the folder that MLflow itself writes.
cat >logs.py <<'P'
import mlflow
mlflow.log_params({"lr": 0.25, "a/b": "x y"})
for step in range(3):
    mlflow.log_metric("val/loss", 1 / (step + 1), step=step)
mlflow.log_metric("odd", float("nan"), step=7)
mlflow.set_tag("data", "v1")
P
expect 0 "$KML" submit --name folder --track mlflow --wait -- "$PYTHON" logs.py
expect 0 "$KML" runs --where 'name == "folder"' -o 'jsonpath={[0].parameters} {[0].tags} {[0].metrics.val/loss}'
[[ $out == *'"a/b":"x y"'*'"lr":0.25'*'{"data":"v1"}'*'"count":3,"last":0.3333333333333333,"max":1.0'* ]] || fail "$out"

# MLflow's own file store fails with a name that is another metric's folder.
cat >clash.py <<'P'
import mlflow
for step in (1, 2):
    mlflow.log_metric("val/acc", 0.5 * step, step=step)
    mlflow.log_metric("val", 0.25 * step, step=step)
    mlflow.log_metrics({"loss": 2.0 * step, "loss/train": 3.0 * step}, step=step)
mlflow.log_params({"opt": "adam", "opt/lr": 0.1})
run = mlflow.active_run().info.run_id
mlflow.end_run()
assert len(mlflow.get_run(run).data.metrics) == 4, mlflow.get_run(run).data
P
expect 0 "$KML" submit --name clash --track mlflow --wait -- "$PYTHON" clash.py
expect 0 "$KML" runs --where 'name == "clash"' -o 'jsonpath={[0].metrics.val/acc.last} {[0].metrics.val.last} {[0].metrics.loss.last} {[0].metrics.loss/train.last} {[0].parameters.opt} {[0].parameters.opt/lr}'
[ "$out" = "1 0.5 4 6 adam 0.1" ] || fail "$out"

# Nested runs stay nested, and do not change the values of their parents: in the list, in an export and on a server.
cat >nested.py <<'P'
import mlflow
with mlflow.start_run():
    mlflow.log_metric("loss", 0.5, step=3)
    mlflow.log_metric("loss", 0.25, step=1)
    for number in (1, 2):
        with mlflow.start_run(run_name="fold %d" % number, nested=True):
            mlflow.log_param("fold", number)
            mlflow.log_metric("loss", number)
            with mlflow.start_run(run_name="deep", nested=True):
                mlflow.log_metric("loss", float("nan"))
P
expect 0 "$KML" submit --name parent --track mlflow --wait -- "$PYTHON" nested.py
expect 0 "$KML" runs --where 'name == "parent"' -o 'jsonpath={[0].metrics.loss.last} {[0].nested[*].name} {[0].nested[*].metrics.loss.last}'
[ "$out" = "0.5 parent/fold 1 parent/deep parent/fold 2 parent/deep 1 NaN 2 NaN" ] || fail "$out"
expect 0 "$KML" runs
contains "$out" "  fold 1"
expect 0 "$KML" runs compare parent 'parent/fold 2'
[[ $out =~ loss\ +0.5\ +2 ]] || fail "$out"
expect 0 "$KML" runs export --where 'name == "parent"'
[ "$(grep -c ',nested,' <<<"$out")" = 4 ] || fail "$out"
expect 0 "$KML" runs push parent --mlflow "$uri" --experiment parents
read_back parents

# Names that MLflow accepts stay, even those of artifacts. One invalid file does not stop the push.
cat >names.py <<'P'
import mlflow, os
mlflow.log_metric("Genauigkeit/größe", 0.5)
mlflow.log_param("学習率", 0.25)
mlflow.log_text("a", "epoch=3.ckpt")
mlflow.log_text("b", "b.txt")
mlflow.log_text("c", "c.txt")
P
expect 0 "$KML" submit --name names --track mlflow --wait -- "$PYTHON" names.py
file=$(find "$XDG_STATE_HOME/kml/tracking" -name b.txt)
truncate -s 1025M "$file" # MLflow would take it, kml does not
expect 0 "$KML" runs push names --artifacts --mlflow "$uri" --experiment names
contains "$err" "b.txt is not sent: it is larger than 1 GiB"
read_back names

# Tests a server that does not accept the host name.
serve --allowed-hosts mlflow.example
expect 4 "$KML" runs push one --mlflow "$uri"
contains "$err" "mlflow server --allowed-hosts 127.0.0.1"
