# A sweep learns from earlier results: of another sweep, of a file, or of the sweep that it was forked from.
. "$(dirname "$0")/lib.sh"
sweep() { "$KML" sweep "$@"; }
train=(sh -c 'echo score=$(( 0 - ({x} - 37) * ({x} - 37) ))')
flags=(--maximize score --parallel 1 --algorithm tpe)
expect 0 sweep run a --param x=0..100 "${flags[@]}" --trials 20 --algorithm random -- "${train[@]}"
expect 0 sweep run b --param x=20..120 "${flags[@]}" --trials 3 --warm-start a -- "${train[@]}"
contains "$err" "results of a"
contains "$err" "outside the search space"
expect 0 sweep replay b
contains "$out" "3 proposals, 0 differ"
expect 0 sweep run b --param x=20..120 "${flags[@]}" --trials 4 -- "${train[@]}"
expect 0 sweep replay b
contains "$out" "4 proposals, 0 differ"
for format in csv jsonl wide.csv marked.jsonl; do
  "$KML" sweep export a -o ${format#*.} >a.$format
  # Reads files as PowerShell and spreadsheets write them.
  case $format in
    wide.*) iconv -t utf-16 -o a.$format <<<"$("$KML" sweep export a -o csv)" ;;
    marked.*) printf '\xEF\xBB\xBF%s\n' "$("$KML" sweep export a -o jsonl)" >a.$format ;;
  esac
  expect 0 sweep run "from-${format//./-}" --param x=0..100 "${flags[@]}" --trials 2 --warm-start a.$format -- "${train[@]}"
  contains "$err" "learning from 20 results of a.$format"
done
expect 2 sweep run c --param x=0..100 --minimize score --trials 2 --warm-start a -- "${train[@]}"
contains "$err" "it maximizes score, this one minimizes score"
expect 2 sweep run c --param x=0..100 "${flags[@]}" --warm-start aa -- "${train[@]}"
contains "$err" "no sweep aa"
expect 0 sweep run grid --param x=0..1 --maximize score --algorithm grid --warm-start a -- "${train[@]}"
contains "$err" "grid does not learn"

# With --fork, another space makes a new sweep, and the same space continues the old one.
fork() { sweep run a --param x="$1" "${flags[@]}" --trials "$2" --algorithm random --fork -- "${train[@]}"; }
expect 2 sweep run a --param x=0..50 "${flags[@]}" --algorithm random --trials 22 -- "${train[@]}"
contains "$err" "--fork"
expect 0 fork 0..100 21
[[ $err != *fork* ]] || fail "$err"
expect 0 fork 0..50 3
contains "$err" "sweep a-2 is a fork of a"
expect 0 fork 0..50 5
contains "$err" "a-2: 5 of 5 trials done"
expect 0 fork 0..40 2
contains "$err" "sweep a-3 is a fork of a-2"
expect 0 sweep list
contains "$out" "a-3"
