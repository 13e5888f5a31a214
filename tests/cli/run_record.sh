# Tests --record: a step whose reads are recorded runs again only if something that it read has changed. Each edit of the
# folder is judged by running the step's command in a copy of the folder: the result that kml gives must be the same.
. "$(dirname "$0")/lib.sh"
[ "$(uname -s)" = Linux ] || exit 77
mkdir project
cd project
mkdir data
echo 1 >data/a.csv
echo 2 >data/b.csv
ln -s data/a.csv current
for name in conf child unread; do echo "$name" >$name.txt; done
echo 'name = "helper"' >helper.py
printf '#!/bin/sh\necho tool\n' >tool
chmod +x tool
echo 'cat "$1" >"$2"' >eval.sh
# The script imports modules, reads files, looks for files that do not exist, lists folders, follows a link, and
# starts C programs. It also writes beside its code.
cat >train.py <<'P'
import os, subprocess, sys, wave
import helper
def text(name):
    try:
        with open(name) as file:
            return file.read()
    except OSError as error:
        return type(error).__name__
def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE).stdout.decode()
seen = [helper.name, getattr(wave, "mark", "wave"), text("conf.txt"), text("extra.txt"), text("current")]
seen += [sorted(os.listdir("data")), output("cat", "child.txt"), os.access("sub/x", os.R_OK)]
seen += [output("./tool") if os.access("tool", os.X_OK) else "no tool"]
os.makedirs("logs", exist_ok=True)
for log in ["train.log", "logs/train.log"]:
    with open(log, "a") as file:
        file.write("trained\n")
with open(sys.argv[1], "w") as file:
    file.write(repr(seen))
P
for name in recorded whole; do
  cat >$name.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: $name}
spec:
  steps:
    train: {command: [python3, train.py, "\${out.model}"], outputs: {model: file}}
    eval: {inputs: {model: train.model}, command: [sh, eval.sh, "\${in.model}", "\${out.score}"], outputs: {score: file}}
Y
done
run() { expect 0 timeout 1000 "$KML" run "$@"; }
# plan FILE STEP TEXT: checks that the step's line in the plan begins with the text.
plan() {
  run "$1.yaml" --dry-run
  local line
  line=$(grep "^ *$2 " "$work/out" | tr -s ' ')
  [[ "${line# }" == "$2 $3"* ]] || fail "$1, $2: not \"$3\": $out"
}
# truth FILE: prints what the step makes in a copy of this folder.
truth() {
  rm -rf ../copy
  cp -a . ../copy
  (cd ../copy && python3 train.py "$1")
}
run recorded.yaml --record --name r0
[[ "$err" != *"are compared"* ]] || fail "not recorded: $err"
run whole.yaml --name w0
number=0
# edit PLAN EDIT: makes the edit, and checks that the plan for step train is PLAN, and that the step's result
# is then correct. Without a record, each edit makes train run.
edit() {
  number=$((number + 1))
  eval "$2"
  plan recorded train "$1"
  plan whole train RUN
  truth "$work/true"
  # The record of an earlier run is used without --record too.
  run recorded.yaml $([[ "$1" == HIT* ]] || echo --record) --name r$number
  [[ "$1" != HIT* ]] || contains "$out" "train cached"
  expect 0 "$KML" artifact get r$number/train.model
  [ "$out" = "$(cat "$work/true")" ] || fail "$2: stale: $out, not $(cat "$work/true")"
  plan recorded train HIT
}
edit HIT 'true' # its own logs
edit HIT 'echo line | tee run-1.log' # as `kml run recorded.yaml | tee run-1.log` does
edit HIT 'echo "{}" >explore.ipynb'
edit HIT 'echo more >>unread.txt'
edit HIT 'echo ": # a comment" >>eval.sh'
plan recorded eval HIT # eval has run since
edit HIT 'rm train.log'
edit HIT 'ln -s loop.txt loop.txt' # it leads to itself
edit HIT 'touch conf.txt'
edit "RUN wave.py added (read by train)" 'echo "mark = 1" >wave.py'
edit "RUN conf.txt changed (read by train)" 'echo other >conf.txt'
edit "RUN helper.py changed (read by train)" 'echo "name = 2" >helper.py'
edit "RUN current changed" 'ln -sfn data/b.csv current'
edit "RUN child.txt changed (read by train)" 'echo other >child.txt'
edit "RUN extra.txt added (read by train)" 'echo x >extra.txt'
edit "RUN sub/x added (read by train)" 'mkdir sub; echo x >sub/x'
edit "RUN data/c.csv added (read by train)" 'echo 3 >data/c.csv'
edit "RUN data/a.csv removed (read by train)" 'rm data/a.csv'
edit "RUN data/empty added (read by train)" 'mkdir data/empty'
edit "RUN tool changed (read by train)" 'chmod -x tool'
edit HIT 'chmod +x tool' # the earlier result is valid again
edit "RUN tool changed (read by train)" 'echo "echo more" >>tool'

# A file that is read and then overwritten is recorded as it was when it was read.
cat >count.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: count}
spec:
  steps:
    count: {command: [sh, -c, 'read n <n; [ "$n" = 3 ] || n=$((n + 1)); echo $n >n; echo $n >"$0"', "${out.n}"], outputs: {n: value}}
Y
echo 1 >n
run count.yaml --record
contains "$out" "n=2"
plan count count "RUN n changed (read by count)"
run count.yaml --record
contains "$out" "n=3"
run count.yaml --record
plan count count HIT

# If a file changes after kml has read the folder, but before the step reads the file, the result is not kept.
cat >late.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: late}
spec:
  steps:
    first: {command: [sh, -c, 'cp "$0" late.txt; cp "$0" "$1"', conf.txt, "${out.o}"], outputs: {o: file}, cache: false}
    second: {inputs: {o: first.o}, command: [sh, -c, 'cat late.txt >"$0"', "${out.o}"], outputs: {o: file}}
Y
echo before >late.txt
run late.yaml --record
contains "$err" "step second: not kept for later runs: late.txt changed before the step read it"
plan late second RUN

# If a step cannot be recorded, kml says so, and compares all files.
cat >copied.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: copied}
spec:
  steps:
    copied: {command: [sh, -c, 'cat conf.txt >"$0"', "${out.o}"], outputs: {o: file}, code: .}
    two: {command: ["true"], template: job-indexed, nodes: 2}
    mounted: {command: [sh, -c, 'cat /kml-test/a.csv || true'], mounts: ["./data:/kml-test"]}
Y
run copied.yaml --record
contains "$err" "step copied: all files of its folder are compared: it runs in a copy of its code"
contains "$err" "step two: all files of its folder are compared: it has several pods"
contains "$err" "step mounted: all files of its folder are compared: it mounts files of the folder, or others in their place"
# Folders elsewhere on this machine, such as an environment of packages, are no reason to compare all files.
mkdir "$work/aside"
echo 1 >"$work/aside/x"
cat >aside.yaml <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: aside}
spec:
  steps:
    aside: {command: [sh, -c, 'cat conf.txt /kml-aside/x >"\$0"', "\${out.o}"], outputs: {o: file}, mounts: ["$work/aside:/kml-aside"]}
Y
expect 0 "$KML" trust aside.yaml
run aside.yaml --record
[[ $err != *"all files of its folder"* ]] || fail "$err"
echo more >>unread.txt
plan aside aside HIT
echo more >>conf.txt
plan aside aside "RUN conf.txt changed"
if unshare -rm true 2>/dev/null; then
  cat >away.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: away}
spec:
  steps:
    away: {command: [unshare, -rm, sh, -c, 'cat conf.txt >"$0"', "${out.o}"], outputs: {o: file}}
Y
  run away.yaml --record
  contains "$err" "step away: all files of its folder are compared: it changed its mounts or its root"
  plan away away HIT
  echo more >>unread.txt
  plan away away "RUN unread.txt changed"
fi

# With `record: true` in kml.yaml, each run records. The log that a step writes beside the pipeline file changes nothing, unless
# another step reads it. The first time, that step read a file that was new in its run, so its result is not reused.
mkdir ../plain
cd ../plain
cat >logged.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: logged}
spec:
  steps:
    write: {command: [sh, -c, 'date +%N | tee a.log b.log >"$0"', "${out.o}"], outputs: {o: file}}
    read: {inputs: {o: write.o}, command: [sh, -c, 'wc -l <b.log >"$0"', "${out.n}"], outputs: {n: file}}
Y
echo 'record: yes please' >kml.yaml
expect 2 "$KML" run logged.yaml
contains "$err" "kml.yaml:1:9: record is neither true nor false"
echo 'record: true' >kml.yaml
for each in 1 2 3; do
  run logged.yaml
  plan logged write HIT
  [ "$each" = 1 ] || plan logged read HIT
  echo "$each" >>a.log
done
echo more >>b.log
plan logged write HIT
plan logged read "RUN b.log changed (read by read)"
rm kml.yaml
cd ../project

kubeconfig_of_cluster
expect 2 "$KML" --kubeconfig kubeconfig --context there run recorded.yaml --record
contains "$err" "--record is for steps on this machine"
