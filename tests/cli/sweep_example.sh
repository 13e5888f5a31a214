# examples/sweep.yaml, which `kml sweep example` prints, runs unchanged, a plan works with each of its alternatives, and the manual lists its fields.
. "$(dirname "$0")/lib.sh"
example=$SOURCE/examples/sweep.yaml
"$KML" sweep example | diff "$example" - || fail "kml sweep example prints another file"
expect 0 "$KML" sweep run -f "$example" --dry-run
contains "$out" "all: 24 trials, 4 at once, by tpe"
contains "$out" "bracket 0: rungs of step: 2, 4, 8, 16"
alternatives=$(grep -c '^  # or: ' "$example")
[ "$alternatives" -ge 8 ] || fail "only $alternatives alternatives"
for i in $(seq "$alternatives"); do
  awk -v wanted="$i" '
    /^  # or: / { if (++count == wanted) { instead = $0; sub(/# or: /, "", instead); lines[last] = instead } next }
    { lines[++n] = $0; last = n }
    END { for (i = 1; i <= n; ++i) print lines[i] }' "$example" >other.yaml
  ! diff -q <(grep -v '^  # or: ' "$example") other.yaml >/dev/null || fail "alternative $i changes nothing"
  expect 0 "$KML" sweep run -f other.yaml --dry-run
done

expect 0 "$KML" submit -f "$SOURCE/examples/claims.yaml"
expect 0 "$KML" sweep run -f "$example"
contains "$err" "all: 24 of 24 trials done"
expect 0 "$KML" sweep export all
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["batch"] * $at["accum"] > 256 || ($at["opt"] == "sgd") != ($at["momentum"] != "") { exit 1 }' <<<"$out" || fail "$out"
"$KML" sweep best all -o yaml >best.yaml
expect 0 "$KML" submit -f best.yaml --wait
expect 0 "$KML" logs all-best
contains "$out" "step=16 accuracy=0.9"

page=$(sed 's/\\-/-/g' "$SOURCE/man/kml-sweep.1")
fields=$(sed 's/# or: //; s/ # .*//' "$example" | sed -n '/^spec:/,/trialSpec:/p' | grep -oE '\b[a-zA-Z]+:( |$)' | tr -d ': ' | sort -u |
  grep -vxE 'spec|opt|lr|layers|dropout|batch|accum|name|value')
for field in $fields; do contains "$page" "$field"; done
