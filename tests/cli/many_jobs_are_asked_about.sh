# Before commands act on more than ten jobs, they ask the user, and stop if there is no terminal.
. "$(dirname "$0")/lib.sh"
"$KML" local up >/dev/null
for i in $(seq 1 11); do
  printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j%d, labels: {n: "%d"}}\nspec:\n  suspend: true\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: a, command: ["true"]}]}}\n' $i $i
done >jobs.yaml
expect 0 "$KML" submit -f jobs.yaml
count() { "$KML" list -o name | wc -l; }

expect 0 "$KML" delete --all --dry-run
[ "$(grep -c 'job j[0-9]* would be deleted' <<<"$out")" = 11 ] || fail "$out"
for command in cancel resume delete; do
  expect 2 "$KML" $command --all </dev/null
  contains "$err" "11 jobs"
  contains "$err" --yes
  contains "$err" --dry-run
done
[ "$(count)" = 11 ] || fail "a refused command deleted jobs"
expect 2 "$KML" delete $(seq -f 'j%g' 1 11) </dev/null  # also if the jobs are named

# On a terminal, the user answers.
typed() { # ANSWER WANTED_CODE COMMAND
  python3 - "$@" <<'PY'
import os, pty, sys
answer, wanted, command = sys.argv[1], int(sys.argv[2]), sys.argv[3]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "exec " + command])
seen = b""
answered = False
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if b"[y/N]" in seen and not answered:
        answered = True
        os.write(terminal, answer.encode() + b"\n")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.buffer.write(seen)
sys.exit(0 if code == wanted and answered else 1)
PY
}
expect 0 typed n 1 "$KML delete --all"
contains "$out" "delete 11 jobs in namespace default"
contains "$out" "and 6 more"
contains "$out" "nothing was deleted"
[ "$(count)" = 11 ] || fail "jobs were deleted against the answer"

# One job needs no confirmation, but delete --all always needs one, even for ten jobs.
expect 0 "$KML" delete j11
expect 0 "$KML" cancel --all --dry-run
expect 0 "$KML" resume -l 'n in (1)' </dev/null
expect 2 "$KML" delete --all </dev/null
expect 0 typed y 0 "$KML delete --all"
contains "$out" "job j1 deleted"
[ "$(count)" = 0 ] || fail "$("$KML" list)"
expect 0 "$KML" submit -f jobs.yaml
expect 0 "$KML" delete --all --yes </dev/null
[ "$(count)" = 0 ] || fail "$("$KML" list)"
