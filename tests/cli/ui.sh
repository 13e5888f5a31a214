# kml ui on a terminal: views, a filter, a job with its log, a resized window, a question before a job is cancelled, a
# server that is killed and comes back, lines that could control the terminal, and the restored terminal
# after several kinds of ends.
. "$(dirname "$0")/lib.sh"
export KML_STATE_DIR=$work/kml
"$KML" local up --fake-gpus 1 >/dev/null 2>&1
cat >train.py <<'P'
import time
for step in range(3):
    print(f"step={step} loss={3 - step}", flush=True)
print("\x1b]52;c;ZXZpbA==\x07\x1b[2Jhostile line", flush=True)
print(" 10%\r 20%", end="", flush=True)
time.sleep(10000)
P
expect 0 "$KML" submit --name runs --gpus 1 -- python3 train.py
expect 0 "$KML" submit --name waits --gpus 1 -- true
expect 0 "$KML" submit --name bad -- sh -c 'exit 7'
expect 3 "$KML" wait bad
cat >drive.py <<'P'
import os, re, signal, subprocess, sys, termios, time
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

KML = os.environ["KML"]


def has(*texts):
    return lambda lines: all(any(re.search(text, line) for line in lines) for text in texts)


def begin(*words, **size):
    terminal = Terminal([KML, "ui", *words], **size)
    terminal.until(lambda lines: "?1049" in terminal.modes)
    return terminal


ui = begin(rows=24, columns=80)
ui.until(has(r"^- +runs .*Running", r"^1 +waits .*Waiting .*not enough GPUs"))
assert len(ui.screen) == 24 and all(len(line) <= 80 for line in ui.lines()), ui.lines()
assert not any("bad" in line for line in ui.lines()), "the queue has only active jobs"

# Tests views and a filter.
ui.type("2")
ui.until(has(r"^bad .*Failed .*exit code 7"))
ui.type("/EXIT CODE\r")
ui.until(lambda lines: has("bad ")(lines) and not has("waits ")(lines))
ui.type("\x1b")
ui.until(has("waits "))
ui.type("\x1b:nothing\r")
ui.until(has('no view "nothing"'))
ui.type("\x1b")
ui.until(lambda lines: has("waits ", "7 s")(lines) and not has("no view")(lines))
ui.type(":runs\r")
ui.until(has(r"^runs +job +Running", r"^bad +job +Failed .*exit code 7"))
ui.type(":nodes\r")
ui.until(has(r"^NODE", r"ready +1/1 .*runs"))
ui.type("?")
ui.until(has("cancel, stop or pause"))
ui.type("?:queue\r")
ui.until(has(r"^POS"))

# Tests a job's view: why, metrics, the log with its progress bar. Control sequences in the log do not reach
# the terminal.
ui.type("g\r")
ui.until(has(r"^runs +Running", r"^loss +1", "^hostile line", "^ 20%", "log ──"))
ui.resize(40, 120)
ui.until(lambda lines: has(r"^runs +Running", "^hostile line")(lines) and len(ui.screen[0]) == 120)
ui.resize(24, 80)
ui.until(has(r"^runs +Running", "^hostile line"))
ui.type("l")
ui.until(lambda lines: has("logs -f runs", "^step=0 loss=3", "^ 20%")(lines) and not has("log ──")(lines))
ui.type("qw")
ui.until(has("why runs", "job runs: Running"))
ui.type("qq")
ui.until(has(r"^POS"))

# kml makes a change only after the user has agreed.
ui.type("G")
ui.type("c")
ui.until(has(r"cancel waits\? \[y/N\]"))
ui.type("n")
ui.until(lambda lines: not has("y/N")(lines))
ui.type("cy")
ui.until(lambda lines: has("waits.* cancelled")(lines))
ui.until(lambda lines: not has("^1 +waits")(lines))

# Pasted text is not taken for keys: this one would cancel the job.
assert "?2004" in ui.modes, ui.modes
ui.type("\x1b[200~gcy\x1b[201~/")
ui.until(has("^/$"))
ui.type("\x1b[200~ru\rns\x1b[201~")
ui.until(has("^/runs$", "^- +runs .*Running"))
ui.type("\x1b")

# y copies the command to the terminal's clipboard, and shows it.
ui.type("y")
ui.until(has("copied: kml queue"))
assert ui.other == ["\x1b]52;c;a21sIHF1ZXVl\x07"], ui.other

# When the server is killed, kml ui shows the server as lost until it comes back, and keeps its rows.
os.kill(int(open(os.environ["KML_STATE_DIR"] + "/local/server.pid").read()), signal.SIGKILL)
ui.until(has("local: lost, trying again: "))
assert has(r"^- +runs")(ui.lines()), ui.lines()
subprocess.run([KML, "submit", "--name", "later", "--", "sleep", "10000"], check=True)
ui.until(lambda lines: has("later .*Running")(lines) and not has("lost")(lines))

# A frozen server neither answers nor closes its connections. kml ui reports this, too.
server = int(open(os.environ["KML_STATE_DIR"] + "/local/server.pid").read())
os.kill(server, signal.SIGSTOP)
ui.until(has("local: lost, trying again: "))
os.kill(server, signal.SIGCONT)
ui.until(lambda lines: has("later .*Running")(lines) and not has("lost")(lines))
subprocess.run([KML, "submit", "--name", "thawed", "--", "sleep", "10000"], check=True)
ui.until(has("thawed .*Running"))
subprocess.run([KML, "delete", "thawed"], check=True)

# The commands in a pane are those that kml why prints in the shell.
subprocess.run([KML, "submit", "--name", "blocked", "--memory", "900Gi", "--no-check", "--", "true"], check=True)
ui.type("/blocked\r")
ui.until(lambda lines: has("blocked .*Waiting")(lines) and not has("later ")(lines))
shell = subprocess.run([KML, "why", "blocked"], check=True, capture_output=True, text=True).stdout
commands = [line.strip() for line in shell.splitlines() if line.strip().startswith("kml ")]
assert commands, shell
ui.type("w")
ui.until(lambda lines: all(any(line.strip() == command for line in lines) for command in commands))
ui.type("q\x1b")
ui.until(has(r"^- +runs"))
subprocess.run([KML, "delete", "blocked"], check=True)

ui.type("q")
assert ui.finish() == 0
assert not {"?1049", "?2004"} & ui.modes and "?25" in ui.modes, ui.modes
assert len(ui.other) == 1, ui.other

# Ctrl-Z returns the terminal to the shell, and a continued kml draws everything again.
ui = Terminal(["bash", "-c", 'set -m; "$KML" ui; echo stopped; read -r; fg >/dev/null; echo "over $?"'])
ui.until(has(r"^- +runs"))
ui.type("\x1a")
ui.until(has("^stopped"))
assert not {"?1049", "?2004"} & ui.modes and "?25" in ui.modes, ui.modes
ui.type("\n")
ui.until(lambda lines: "?1049" in ui.modes and has("runs ", "later ")(lines))
ui.type("q")
ui.until(has("^over 0"))
assert ui.finish() == 0

# Tests many jobs on two clusters, one of which does not answer: a line says so, and the other one is shown.
with open("kubeconfig", "w") as file:
    file.write("{apiVersion: v1, kind: Config, contexts: [{name: there, context: {cluster: there, user: me}}], users: [{name: me, user: {}}],"
               ' clusters: [{name: there, cluster: {server: "https://127.0.0.1:1"}}]}')
with open("many.yaml", "w") as file:
    for i in range(1000):
        file.write(f"---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: many-{i}}}, spec: {{suspend: true, template: {{spec: "
                   '{restartPolicy: Never, containers: [{name: main, image: none, command: ["true"]}]}}}}\n')
subprocess.run([KML, "submit", "-f", "many.yaml"], check=True, stdout=subprocess.DEVNULL)
ui = begin("--context", "local,there", "--kubeconfig", "kubeconfig", rows=24, columns=100)
ui.until(has("^CLUSTER ", "^local .*later .*Running", "^there: lost, trying again: ", "1 queue 1002 "))
ui.type("G")
ui.until(has("^local .*many-999 .*Suspended"))
ui.type("/many-50\r")
ui.until(has("many-50 ", "many-509 ", "1 queue 11 /many-50 "))
ui.type("q")
ui.until(has("1 queue 1002 "))
ui.type("q")
assert ui.finish() == 0

# After the signals below and after Ctrl-C, the terminal is restored.
for end in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, "\x03"):
    ui = begin("nodes", rows=24, columns=80)
    ui.until(has("^NODE"))
    ui.type(end) if isinstance(end, str) else os.kill(ui.pid, end)
    code = ui.finish()
    assert code == (0 if end == "\x03" else -end if end == signal.SIGSEGV else 130), (end, code)
    assert not {"?1049", "?2004"} & ui.modes and "?25" in ui.modes, (end, ui.modes)

# Without colors, only the selected row is marked. A small terminal works.
os.environ["NO_COLOR"] = "1"
ui = begin(rows=6, columns=30)
ui.until(has("runs"))
assert "[31m" not in repr(ui.screen)
ui.type("q")
assert ui.finish() == 0
P
export KML SOURCE
timeout 1000 python3 drive.py

expect 2 "$KML" ui </dev/null
contains "$err" "needs a terminal"
expect 2 "$KML" ui nothing
contains "$err" "sweeps"
expect 2 "$KML" ui --context absent -o json

# A new reader of the feed gets all rows, and then the changes.
"$KML" ui -o json >feed &
feed=$!
eventually grep -q '"synced"' feed
grep -q '"id":"default/Job/runs"' feed || fail "$(cat feed)"
grep -q '"table":"nodes"' feed || fail "$(cat feed)"
grep -q '"table":"runs"' feed || fail "$(cat feed)"
expect 0 "$KML" delete later
eventually grep -q '"change":"drop".*"id":"default/Job/later"' feed
# Artifacts of `kml artifact put` are shown like those of runs.
echo words >words.txt
expect 0 "$KML" artifact put words=words.txt
for table in pipelines runs; do eventually grep -q '"change":"set".*"id":"\(run/\)\?words".*"table":"'$table'"' feed; done
expect 0 "$KML" run delete words
for table in pipelines runs; do eventually grep -q '"change":"drop".*"id":"\(run/\)\?words".*"table":"'$table'"' feed; done
# For a served program that crashes, kml ui shows the cause from its pod.
"$KML" serve crashes --timeout 1s -- sh -c 'exit 9' >/dev/null 2>&1 || true
eventually grep -q '"table":"serves".*"name":"crashes".*"state":"Crashing"' feed
kill -INT $feed
got=0; wait $feed || got=$?
[ $got = 130 ] || fail "exit $got after an interrupt"

# Before the jobs are listed, a run whose state depends on them has no row, because its state would be
# unknown. A run that has ended is shown at once. A submit whose end is not recorded has the state of its job.
expect 0 "$KML" submit --name ended --wait -- true
expect 0 "$KML" submit --name unended -- sleep 10000
python3 - "$KML_STATE_DIR/runs.jsonl" <<'P'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
last = [line for line in lines if "objects" in line][-1]["run"]
open(sys.argv[1], "w").writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines if line.get("sentOf") != last)
P
first_of() { grep '"table":"runs"' early | grep "\"name\":\"$1\"" | head -n 1; }
server=$(cat "$KML_STATE_DIR/local/server.pid")
kill -STOP "$server"
"$KML" ui -o json >early &
feed=$!
eventually grep -q '"table":"runs".*"name":"ended"' early
kill -CONT "$server"
eventually grep -q '"synced"' early
for run in runs unended; do
  contains "$(first_of $run)" '"state":"Running"'
  [[ $(first_of $run) != *'"cause"'* ]] || fail "a cause of an earlier state: $(first_of $run)"
done
kill -INT $feed
wait $feed || [ $? = 130 ] || fail "exit $? after an interrupt"

# The feed ends when its reader ends.
{ timeout 100 "$KML" ui -o json || [ $? = 141 ]; } | head -n 1 >/dev/null || fail "it outlives its reader"
