# Shows when jobs waited, ran, failed and were suspended, as text, JSON and a page.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" local up --fake-gpus 1
expect 0 "$KML" timeline
contains "$err" "no jobs since"
expect 3 "$KML" submit --name arr --array 0-2%1 --gpus 1 --wait -- sh -c 'sleep 1.1; test $KML_TASK != 1'
expect 0 "$KML" submit --name paused --gpus 1 -- sleep 1000
runs() { [ "$("$KML" status paused -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually runs
expect 0 "$KML" submit --name waiting --gpus 1 -- sleep 1000
sleep 1.1 # so that it runs, and the other one waits, for a second
expect 0 "$KML" suspend paused
suspended() { "$KML" list --state suspended -o name | grep -q paused; }
eventually suspended
began() { [ "$("$KML" status waiting -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually began
sleep 1.1
timeline() { expect 0 "$KML" timeline "$@"; }
check() { python3 -c "import json, sys
jobs = json.load(sys.stdin)
kinds = lambda row: [bar['kind'] for bar in row['bars']]
$1" <<<"$out" || fail "$1: $out"; }
timeline -o json
check '
by = {job["name"]: job for job in jobs}
assert list(by) == ["arr", "paused", "waiting"], by
assert all(len(job["rows"]) == 1 and job["covered"] == 1 for job in jobs), jobs
assert "failed" in kinds(by["arr"]["rows"][0]) and "running" in kinds(by["arr"]["rows"][0]), by["arr"]
assert kinds(by["paused"]["rows"][0])[-2:] == ["running", "suspended"], by["paused"]
assert kinds(by["waiting"]["rows"][0])[-2:] == ["queued", "running"], by["waiting"]
for job in jobs:  # without gaps
  bars = job["rows"][0]["bars"]
  assert all(a["end"] == b["start"] for a, b in zip(bars, bars[1:])), bars'
timeline arr -o json
check '
assert [row["name"] for row in jobs[0]["rows"]] == ["arr", "arr-0", "arr-1", "arr-2"], jobs
assert kinds(jobs[0]["rows"][1])[-1] == "running" and kinds(jobs[0]["rows"][2])[-1] == "failed", jobs
assert kinds(jobs[0]["rows"][3])[0] == "queued", jobs'

# The text is as wide as the terminal, with symbols that differ even without colors.
timeline
[[ $out =~ arr\ .*█.*x.*\ Failed ]] || fail "$out"
[[ $out =~ paused\ .*█=+\ +Suspended ]] || fail "$out"
[[ $out =~ waiting\ .*·█+\ +Running ]] || fail "$out"
contains "$out" "· queued  █ running"
LC_ALL=C timeline
[[ $out =~ waiting\ .*\.#+\ +Running ]] || fail "$out"
for width in 50 110; do
  script -qec "stty cols $width; NO_COLOR=1 $KML timeline arr" /dev/null </dev/null >wide
  widest=$(python3 -c 'print(max(len(line.rstrip()) for line in open("wide", encoding="utf-8")))')
  [ "$widest" -le $width ] && [ "$widest" -gt $((width - 12)) ] || fail "$widest columns, not $width: $(cat wide)"
done

# Tests a page that loads nothing, a deleted job from the record, and flags that cannot be combined.
timeline --mine --html page.html
[ "$out" = page.html ] || fail "$out"
contains "$(cat page.html)" '"name":"paused"'
! grep -Eq '(src|href)=|@import' page.html || fail "the page loads something"
expect 0 "$KML" delete arr
timeline arr -o json
check 'assert len(jobs[0]["rows"]) == 4 and jobs[0]["state"] == "Failed", jobs'
expect 1 "$KML" timeline none
expect 2 "$KML" timeline arr --mine
expect 2 "$KML" timeline arr --html - -o json
timeline --limit 1 -o json
check 'assert [job["name"] for job in jobs] == ["waiting"], jobs'
# Jobs that were submitted in the same second are in the order of their submits.
for name in z-first y-second x-third; do expect 0 "$KML" submit --name $name -- true; done
timeline --limit 3 -o json
check 'assert [job["name"] for job in jobs] == ["z-first", "y-second", "x-third"], jobs'
# A deleted job without GPUs also keeps its times, whether it had ended or was still running.
expect 0 "$KML" delete z-first --yes
expect 0 "$KML" submit --name stopped -- sleep 1000
stopped_runs() { [ "$("$KML" status stopped -o 'jsonpath={.status.ready}')" = 1 ]; }
eventually stopped_runs
sleep 1.1 # the API has whole seconds
expect 0 "$KML" delete stopped
timeline stopped -o json
check 'assert "unknown" not in kinds(jobs[0]["rows"][0]) and "running" in kinds(jobs[0]["rows"][0]), jobs'
timeline z-first -o json
check 'assert "unknown" not in kinds(jobs[0]["rows"][0]), jobs'
# A job that is cancelled while it is suspended was suspended until then.
expect 0 "$KML" cancel paused
timeline paused -o json
check 'assert kinds(jobs[0]["rows"][0])[-2:] == ["running", "suspended"], jobs'
