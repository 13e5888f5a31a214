# kml schedule git: a new commit of a branch starts one run, even if two processes check the branch at the same time.
# Of several new commits, only the newest is run, or each of them with --each.
. "$(dirname "$0")/lib.sh"
git config --global user.name Ana
git config --global user.email ana@example.org
git config --global init.defaultBranch main
git init -q --bare bert.git
git clone -q bert.git clone 2>/dev/null
mkdir clone/runs
cat >clone/runs/pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: bert}
spec:
  params: {to: {default: ""}}
  steps:
    train:
      code: {paths: [train.sh]}
      command: [sh, train.sh, "${params.to}"]
Y
commit() { # TEXT [FLAGS OF PUSH]: a commit that writes TEXT; sets $commit
  echo "echo $1 >>\"\$1\"" >clone/runs/train.sh
  git -C clone add . && git -C clone commit -qm "$1"
  git -C clone push -q "${@:2}" origin HEAD 2>push.log || fail "$(cat push.log)"
  commit=$(git -C clone rev-parse HEAD)
  run=bert-${commit:0:12}
}
look() { timeout 1000 "$KML" schedule git bert.git#main -f runs/pipeline.yaml -p to="$work/ran" --once "$@"; }
has_run() { [ "$(sort ran 2>/dev/null | tr '\n' ' ')" = "$1" ]; }
ends() { timeout 1000 "$KML" wait "$run" >wait.log 2>&1 || fail "$(cat wait.log; "$KML" logs "$run")"; }

# Two processes check at the same time, and one run starts.
commit one
look >first.out 2>first.err & first=$!
look >second.out 2>second.err & second=$!
wait $first || fail "$(cat first.err)"
wait $second || fail "$(cat second.err)"
[ "$(cat first.out second.out)" = "run $run started" ] || fail "$(cat first.out second.out first.err second.err)"
ends
expect 0 "$KML" run status "$run"
contains "$out" "$run  succeeded"
has_run "one " || fail "$(cat ran)"
expect 0 look
contains "$err" "no new commit in main since ${commit:0:12}"

# If a branch has several new commits, only the newest is run, or all of them with --each.
commit two
commit three
expect 0 look
[ "$out" = "run $run started" ] || fail "$out"
ends
has_run "one three " || fail "$(cat ran)"
commit four
fourth=$run
commit five
expect 0 look --each
[ "$out" = "run $fourth started"$'\n'"run $run started" ] || fail "$out"
ends; run=$fourth; ends
has_run "five four one three " || fail "$(cat ran)"

# After a forced push, the new commit is run, even with --each. A forced push back to a commit that was run starts
# nothing.
git -C clone reset -q --hard HEAD~3
commit six --force
expect 0 look --each
[ "$out" = "run $run started" ] || fail "$out"
ends
git -C clone reset -q --hard HEAD~1
git -C clone push -q --force origin HEAD
expect 0 look
contains "$out$err" "started" # of two: it was never run
run=bert-$(git -C clone rev-parse --short=12 HEAD); ends
git -C clone push -q --force origin "$commit:main"
expect 0 look
contains "$err" "commit ${commit:0:12} already has a run"
[ -z "$(ls "$XDG_STATE_HOME/kml/git" | grep "bert-${commit:0:12}")" ] || fail "a checkout is left: $(ls "$XDG_STATE_HOME/kml/git")"

# The hook checks after each push, to a branch with special characters.
branch="fix#3/ünï'q"
git -C clone checkout -q -b "$branch"
expect 0 "$KML" schedule git "bert.git#$branch" -f runs/pipeline.yaml --name hooked -p to="$work/hooked ran" --print-hook
echo "$out" >bert.git/hooks/post-receive
chmod +x bert.git/hooks/post-receive
commit seven
contains "$(cat push.log)" "run hooked-${commit:0:12} started"
run=hooked-${commit:0:12}; ends
[ "$(cat "hooked ran")" = seven ] || fail "$(cat "hooked ran")"

# A schedule checks at fixed intervals.
git -C clone checkout -q main && git -C clone reset -q --hard origin/main
commit eight
expect 0 "$KML" schedule git bert.git#main -f runs/pipeline.yaml --every 1m -p to="$work/by clock" --name clocked
contains "$out" "schedule clocked created"
contains "$err" "the first run will use commit ${commit:0:12} of main"
by_clock() { [ "$(cat "by clock" 2>/dev/null)" = eight ]; }
eventually by_clock
expect 0 "$KML" schedule delete clocked

# Mistakes get clear answers.
expect 2 "$KML" schedule git bert.git#main -f other.yaml --once
contains "$err" "schedule bert runs the commits of $work/bert.git#main runs/pipeline.yaml"
expect 1 "$KML" schedule git bert.git#man -f runs/pipeline.yaml
contains "$err" 'no branch "man"'
contains "$err" 'did you mean "main"?'
expect 1 "$KML" schedule git none.git#main -f runs/pipeline.yaml
contains "$err" "cannot read the repository none.git"
expect 2 "$KML" schedule git 'bert.git#a..b' -f runs/pipeline.yaml
contains "$err" '"a..b" cannot be the name of a branch'
for url in https://ana:sesame@example.org/bert https://sesame@example.org/bert ssh://ana:sesame@example.org/bert; do
  expect 2 "$KML" schedule git "$url#main" -f pipeline.yaml
  contains "$err" "contains a password or a token"
  [[ "$err" != *sesame* ]] || fail "it shows the password: $err"
done
expect 2 "$KML" schedule git bert.git -f pipeline.yaml
contains "$err" "REPOSITORY#BRANCH"
expect 2 "$KML" schedule git bert.git#main
contains "$err" "-f FILE is missing"
expect 2 "$KML" schedule git bert.git#main -f ../pipeline.yaml
contains "$err" "is not a path in the repository"
if [ "$(id -u)" = 0 ]; then
  chown -R 65534 bert.git
  expect 1 "$KML" schedule git bert.git#main -f runs/pipeline.yaml
  contains "$err" "dubious ownership"
  contains "$err" "git config --global --add safe.directory $work/bert.git"
fi
