. "$(dirname "$0")/lib.sh"
# A terminal shows a changing line before its newline arrives. With several pods, each has a row below the scrolling
# lines. A pipe and a copy get every line once, as it was written.
cat >step.py <<'P'
import pathlib, sys, time
# Each step of the output is written after the test has seen the previous step.
for number, text in enumerate(sys.argv[1:]):
    while not pathlib.Path(f"go{number}").exists():
        time.sleep(0.02)
    sys.stdout.write(text.encode().decode("unicode_escape"))
    sys.stdout.flush()
P
steps=('first\n' '  0%' '\r 50%' '\r100%' '\nsecond\n' 'no end, ' 'then one\n')
expect 0 "$KML" submit --name bar -- python3 step.py "${steps[@]}"
cat >watch.py <<'P'
import os, pathlib, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "logs", "-f", "bar"])
for number, shown in enumerate([["first"], ["first", "  0%"], ["first", " 50%"], ["first", "100%"],
                                ["first", "100%", "second"], ["first", "100%", "second", "no end,"],
                                ["first", "100%", "second", "no end, then one"]]):
    pathlib.Path(f"go{number}").touch()
    terminal.until(lambda lines: [line for line in lines if not line.startswith(("kml: ", "job "))] == shown)
assert terminal.finish() == 0
assert terminal.lines()[:4] == ["first", "100%", "second", "no end, then one"], terminal.lines()
assert not terminal.other, terminal.other
P
export KML SOURCE
timeout 1000 python3 watch.py
expect 0 "$KML" logs bar
[ "$out" = $'first\n  0%\r 50%\r100%\nsecond\nno end, then one' ] || fail "in a pipe: $out"

rm go*
expect 0 "$KML" submit --name two --array 0-1 -- sh -c \
  'exec python3 step.py "start $JOB_COMPLETION_INDEX\n" "\r10% of $JOB_COMPLETION_INDEX" "\nend $JOB_COMPLETION_INDEX\n"'
cat >watch.py <<'P'
import os, pathlib, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "logs", "-f", "two", "--save", "copy"])
pathlib.Path("go0").touch()
terminal.until(lambda lines: {"0 | start 0", "1 | start 1"} <= set(lines))
pathlib.Path("go1").touch()
terminal.until(lambda lines: lines[-2:] == ["0 | 10% of 0", "1 | 10% of 1"])
pathlib.Path("go2").touch()
assert terminal.finish() == 0
for index in "01":
    assert [line for line in terminal.lines() if line.startswith(index)] == [
        f"{index} | start {index}", f"{index} | 10% of {index}", f"{index} | end {index}"], terminal.lines()
P
timeout 1000 python3 watch.py
copies=$(cat copy/*/two.*/*/*.log | cut -d' ' -f2- | sort)
[ "$copies" = "$(printf '\r10%% of 0\n\r10%% of 1\nend 0\nend 1\nstart 0\nstart 1' | sort)" ] || fail "the copy: $copies"
