# A duration that a user types needs a unit, in all commands alike: whoever types 30 may mean seconds, minutes or days.
# Pipeline files may still have numbers without a unit, which mean seconds.
. "$(dirname "$0")/lib.sh"
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {a: {command: ["true"]}}}
Y
# Each row: the man page, the flag, and a command with this flag.
rows() {
  cat <<'T'
apply --timeout apply p.yaml --wait
cancel --since cancel --mine
config --time-limit config init
config --grace config init
config --ttl config init
delete --since delete --mine
dev --idle dev
dev --max dev
dev --grace dev
dev --ttl dev
env --older-than env gc
gc --keep gc
hang --for hang j
history --since history
list --since list
logs --since logs j
logs --until logs j
queue --since queue
rerun --time-limit rerun j
rerun --grace rerun j
rerun --ttl rerun j
rerun --timeout rerun j --wait
resume --since resume --mine
run --every run p.yaml
schedule --every schedule git .#main
serve --idle serve m -- true
serve --timeout serve m -- true
serve --grace serve m -- true
submit --every submit -- true
submit --time-limit submit -- true
submit --grace submit -- true
submit --ttl submit -- true
submit --timeout submit --wait -- true
suspend --since suspend --mine
sweep --time sweep run s --param x=1 --minimize y -- true
sweep --time sweep resume s
sweep --time-limit sweep run s --param x=1 --minimize y -- true
sweep --grace sweep run s --param x=1 --minimize y -- true
sweep --ttl sweep run s --param x=1 --minimize y -- true
timeline --since timeline
usage --since usage
wait --timeout wait j
wait --since wait --mine
T
}
expect 0 "$KML" submit --name j --wait -- true
while read -r page flag words; do
  for value in 30 1h30 soon; do
    before=${words%% -- *} after=${words#"$before"}
    # shellcheck disable=SC2086 # the rows have no spaces in their words
    expect 2 "$KML" $before $flag $value $after </dev/null
    contains "$err" "$flag"
    [ "$value" = soon ] || [[ $err == *"$value"[hm]* ]] || fail "$words $flag $value: the units are not named: $err"
    [ -z "$out" ] || fail "$words $flag $value: $out"
  done
done < <(rows)
expect 0 "$KML" list -o name
[ "$out" = job.batch/j ] || fail "a job was created: $out"

# The table has each flag of the man pages that takes a duration.
grep -oP '^\\fB(-., )?\\-\\-\K[a-z\\-]+(?=\\fR \\fIDURATION)' "$SOURCE"/man/*.1 | sed 's/\\//g; s,.*/kml-,,; s/\.1:/ --/' | sort -u >flags
[ "$(wc -l <flags)" -gt 30 ] || fail "$(cat flags)"
while read -r flag; do
  rows | grep -q "^$flag " || fail "no row for $flag"
done <flags

# Durations in environment variables need a unit, too.
expect 2 env KML_TIME_LIMIT=30 "$KML" submit -- true
contains "$err" "30m"
KML_NOTIFY_HANG_EVERY=30 expect 2 "$KML" wait j --notify 'exec:true'
contains "$err" "KML_NOTIFY_HANG_EVERY"

# A duration with its unit, or 0, is accepted.
for words in "wait j --timeout 30s" "wait j --timeout 1h30m" "logs j --until 0" "logs j --since 1d12h" "list --since 0"; do
  # shellcheck disable=SC2086
  expect 0 "$KML" $words
done

cat >old.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: old}
spec:
  steps:
    search:
      command: [sh, -c, 'echo loss={x}']
      sweep: {param: {x: "1,2"}, minimize: loss, trials: 2, time: 3000}
Y
expect 0 "$KML" run old.yaml
