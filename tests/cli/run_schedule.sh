. "$(dirname "$0")/lib.sh"
# A schedule starts a pipeline on this machine: each start is a run with the scheduled time.
mkdir folder
cat >folder/pipeline.yaml <<'END'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: nightly}
spec:
  params: {who: {default: ana}}
  steps:
    load:
      command: [sh, -c, 'echo load >>$HOME/ran; echo data >"${out.data}"']
      outputs: {data: dataset}
    report:
      inputs: {data: load.data}
      command: [sh, -c, 'echo "${params.who} ${run.scheduled}" >"${out.text}"']
      outputs: {text: model}
END

expect 0 "$KML" run folder/pipeline.yaml --cron '* * * * *' -p who=ben
[ "$out" = "schedule nightly created" ] || fail "$out"
contains "$err" "first start:"
ended_run() {
  "$KML" run list -o json | python3 -c 'import json, sys; print(*[run["name"] for run in json.load(sys.stdin) if run["state"] == "succeeded"][:1])'
}
has_ended() { [ "$(ended_run)" != "" ]; }
eventually has_ended
run=$(ended_run)
expect 0 "$KML" schedule pause nightly
[[ $run =~ ^nightly-[0-9]{8}$ ]] || fail "the run is named $run"
expect 0 "$KML" artifact get "$run/report.text" text
[ "$(cat text)" = "ben $(date -u -d "@$((${run#nightly-} * 60))" +%FT%TZ)" ] || fail "$(cat text)"

# A run started by hand has no scheduled time, so its start time is used. Unchanged steps do not run again.
expect 0 "$KML" schedule run-now nightly --wait
[ "$(wc -l <"$HOME/ran")" = 1 ] || fail "load ran again: $(cat "$HOME/ran")"
expect 0 "$KML" schedule delete nightly

# The time can also be set by a flag. A step that uses the time runs again when the time changes.
expect 0 "$KML" run folder/pipeline.yaml --name given --scheduled 2026-01-01T04:00:00+01:00
expect 0 "$KML" artifact get given/report.text given
[ "$(cat given)" = "ana 2026-01-01T03:00:00Z" ] || fail "$(cat given)"
expect 0 "$KML" run folder/pipeline.yaml --scheduled 2026-01-01T03:00:00Z --dry-run
[[ "$out" =~ report\ +HIT ]] || fail "$out"
expect 0 "$KML" run folder/pipeline.yaml --scheduled 2026-01-02T03:00:00Z --dry-run
[[ "$out" =~ report\ +RUN\ +run.scheduled\ changed ]] || fail "$out"
[ "$(wc -l <"$HOME/ran")" = 1 ] || fail "load ran again: $(cat "$HOME/ran")"

expect 2 "$KML" run folder/pipeline.yaml --scheduled yesterday
contains "$err" "is not a time"
expect 2 "$KML" run folder/pipeline.yaml --every 1d --dry-run
contains "$err" "cannot be used with --dry-run"
expect 2 "$KML" run folder/pipeline.yaml --tz UTC
contains "$err" "--tz needs --cron, --every or --at"
expect 2 "$KML" run folder/pipeline.yaml --cron @daily --name a-name-that-is-longer-than-a-run-can-have
contains "$err" "at most 37 characters"
