# The example with the trainer: a sweep as a step, a step with three pods for each seed, and a step that chooses the
# better model.
. "$(dirname "$0")/lib.sh"
export PATH=$(dirname "$KML"):$PATH # kml-trainer
mkdir -p "$HOME/.cache/kml"
ln -s "${MNIST:?the folder of MNIST}" "$HOME/.cache/kml/mnist" # get-mnist of a step looks here first, and needs no network
expect 0 timeout 1000 "$KML" run "$SOURCE/examples/mnist/pipeline.yaml" -p steps=60 -p seeds=1,2 --name m
contains "$out" "best.learning_rate=0.0"
contains "$out" "train-1 done"
contains "$out" "pick done"
[ "$("$KML" list -l kml.dev/step=train-0 -o jsonpath='{.items[*].kind}')" = PyTorchJob ] || fail "train-0 is not a PyTorchJob"
expect 0 "$KML" run logs m pick
contains "$out" "is the best: accuracy 0.9"
[ -e "$XDG_STATE_HOME/kml/artifacts/data/m/pick/0/model/LATEST" ] || fail "no model was picked"
expect 2 "$KML" run logs m tune
contains "$err" "kml sweep logs m-tune"

# With another number of steps, the data and the sweep are reused, and the training runs again.
expect 0 "$KML" run "$SOURCE/examples/mnist/pipeline.yaml" -p steps=80 -p seeds=1,2 --dry-run
contains "$out" "tune       HIT"
contains "$out" "param steps: 60 -> 80"

expect 0 "$KML" run delete m
[ -z "$("$KML" sweep list -o name)" ] || fail "the run's sweep is left"
