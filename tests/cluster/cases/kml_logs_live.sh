. "$(dirname "$0")/lib.sh"
# `kml logs -f --live` shows a line before its newline arrives, although a real node's log has it only
# afterwards. It prints each line once.
go=$cluster_state/go-$namespace
rm -rf "$go" && mkdir "$go"
expect 0 "$KML" submit --name bar "${on_node1[@]}" --mount "host$go:/go:ro" -- /bin/busybox sh -c '
  b=/bin/busybox; until [ -e /go/begin ]; do $b sleep 0.1; done; echo first; i=0
  until [ -e /go/end ]; do $b printf "\rstate %d." $i; i=$((i + 1)); $b sleep 0.1; done; echo; $b printf "no newline"'
cat >watch.py <<'P'
import os, pathlib, re, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

go = pathlib.Path(os.environ["go"])
terminal = Terminal([os.environ["KML"], "logs", "-f", "--live", "bar"])
(go / "begin").touch()
seen = set()
terminal.until(lambda lines: seen.update(re.findall(r"^state (\d+)\.$", "\n".join(lines), re.M)) or len(seen) > 4, 300)
(go / "end").touch()
assert terminal.finish(300) == 0
lines = terminal.lines()
assert lines.count("first") == 1 and lines.count("no newline") == 1, lines
assert len([line for line in lines if re.fullmatch(r"state \d+\.", line)]) == 1, lines
P
export KML SOURCE go
timeout 1000 python3 watch.py

# A user who may read logs but not attach gets the lines and a note about this.
need_user ana
k create role reader --verb=get,list,watch --resource=jobs.batch,pods,pods/log,events >/dev/null
k create rolebinding reader --role=reader --serviceaccount="$namespace:ana" >/dev/null
may ana list pods
expect 0 "$KML" submit --name slow "${on_node1[@]}" --mount "host$go:/go:ro" -- /bin/busybox sh -c \
  'echo begun; until [ -e /go/told ]; do /bin/busybox sleep 0.1; done; echo over'
cat >refused.py <<'P'
import os, pathlib, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "--context", "ana", "logs", "-f", "--live", "slow"])
terminal.until(lambda lines: any("not shown live" in line for line in lines), 600)
pathlib.Path(os.environ["go"], "told").touch()
assert terminal.finish(300) == 0
lines = terminal.lines()
assert "begun" in lines and "over" in lines, lines
assert any("not shown live" in line for line in lines) and any("pods/attach" in line for line in "".join(lines).split(";")), lines
P
timeout 1000 python3 refused.py
