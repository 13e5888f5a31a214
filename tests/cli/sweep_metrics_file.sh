# Each trial's metrics come from its own file. If the command names the file, parallel trials get separate files;
# otherwise the sweep does not start.
. "$(dirname "$0")/lib.sh"
train='i=0; while [ $i -lt 3 ]; do echo "step=$i y={x}" >>"$0"; i=$((i + 1)); sleep 0.2; done'
sweep() { "$KML" sweep run "$1" --param x=1..4 --algorithm grid --minimize y "${@:2}" -- sh -c "$train" "$file"; }

file="$work/shared"
expect 2 "$KML" sweep run shared --param x=1..4 --minimize y --metrics-file "$file" -- sh -c 'cat {x}' "$file-2"
contains "$err" "all trials would write their metrics to the same file, $file"
contains "$err" "--metrics-file 'metrics-{trial}'"
expect 0 "$KML" sweep list
contains "$err" "no sweeps yet"

same() { # checks that each trial has the value that it wrote
  expect 0 "$KML" sweep export "$1"
  [ "$(wc -l <<<"$out")" = 5 ] || fail "$out"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $at["x"] != $at["y"] { exit 1 }' <<<"$out" || fail "$out"
}
expect 0 sweep parted --metrics-file "$file"
contains "$err" "each trial writes a separate metrics file: $file-{trial}"
[ -f "$work/shared-3" ] && [ ! -e "$file" ] || fail "$(ls "$work")"
same parted
expect 0 sweep parted --metrics-file "$file" --parallel 1
file="$work/metrics-{trial}"
expect 0 sweep own --metrics-file "$file" --parallel 4
[ -f "$work/metrics-3" ] || fail "$(ls "$work")"
same own
file="$work/one"
expect 0 sweep one --metrics-file "$file" --parallel 1
same one
