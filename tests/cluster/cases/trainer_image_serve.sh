. "$(dirname "$0")/lib.sh"
# examples/mnist-serve/pipeline.yaml on the cluster: its model is served from the store's volume, and recognizes the
# digit in a picture.
kml() { timeout 1000 "$KML" "$@"; }
with_mnist_pipeline mnist-serve
for steps in 60 200; do
  expect 0 kml run pipeline.yaml --store pvc/shared/team -p image="$image" -p steps=$steps --name "s$steps"
  contains "$out" "evaluate done"
done
expect 0 kml runs compare s60 s200
[[ "$out" =~ steps\ +60\ +200 ]] || fail "$out"

model=team/v1/data/s200/train/0/model
[ -s "$volume/$model/LATEST" ] || fail "no model: $(ls -lR "$volume/team")"
expect 0 kml serve digits --ready / --image "$image" --node-selector kubernetes.io/hostname=node1 \
  --mount "pvc/shared/$model:/model:ro" -- kml-trainer --checkpoint-dir /model --serve '$(PORT)' --serve-address ::
timeout 1000 "$KML" port digits 8080 >ports 2>port.err & port=$!
address() { grep -o '127.0.0.1:[0-9]*' ports | head -n 1; }
is_open() { [ -n "$(address)" ]; }
eventually is_open
{ printf 'P5\n28 28\n255\n'; tail -c +17 "$volume/mnist/t10k-images-idx3-ubyte" | head -c 784; } >seven.pgm || true
[ "$(wc -c <seven.pgm)" = 797 ] || fail "$(wc -c seven.pgm)"
expect 0 curl -sS --max-time 1000 --data-binary @seven.pgm "http://$(address)/"
contains "$out" '{"class":7,'
kill $port; wait $port || true
expect 0 kml serve stop digits
