# examples/mnist-serve: two runs, their comparison, and an endpoint that recognizes the digit in a picture.
. "$(dirname "$0")/lib.sh"
export PATH=$(dirname "$KML"):$PATH # kml-trainer
mkdir -p "$HOME/.cache/kml"
ln -s "${MNIST:?the folder of MNIST}" "$HOME/.cache/kml/mnist" # get-mnist of a step looks here first, and needs no network
expect 0 timeout 1000 "$SOURCE/examples/mnist-serve/run"
contains "$out" "train done"
[[ "$out" =~ right=(1[0-9]|20) ]] || fail "most answers are wrong: $out"
contains "$out" "get cached"
[[ "$out" =~ steps\ +60\ +300 ]] || fail "the comparison does not show the steps: $out"
contains "$out" '{"class":7,'
