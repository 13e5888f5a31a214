. "$(dirname "$0")/lib.sh"
# Runs examples/mnist/pipeline.yaml on the cluster: MNIST from a volume, a sweep whose trials read a step's output on
# the store's claim, PyTorchJobs of three pods for two seeds, and a step that picks the better model.
kml() { timeout 1000 "$KML" "$@"; }
with_mnist_pipeline mnist
run() { kml run pipeline.yaml --store pvc/shared/team -p image="$image" -p seeds=1,2 "$@"; }

expect 0 run -p steps=60 --name m
contains "$out" "best.learning_rate=0.0"
contains "$out" "train-1 done"
contains "$out" "pick done"
for seed in 0 1; do [ "$("$KML" list -l kml.dev/step=train-$seed -o jsonpath='{.items[*].kind}')" = PyTorchJob ] || fail "train-$seed"; done
expect 0 kml run logs m pick
contains "$out" "is the best: accuracy 0.9"
[ -e "$volume/team/v1/data/m/pick/0/model/LATEST" ] || fail "no model: $(ls -lR "$volume/team")"

# With more steps, the data and the sweep are reused, and the training runs again.
expect 0 run -p steps=80 --dry-run
contains "$out" "tune       HIT"
contains "$out" "param steps: 60 -> 80"
