. "$(dirname "$0")/lib.sh"
# interrupted WORD ARGUMENTS...: presses Ctrl-C once WORD is in the output, and checks that the exit code is 130.
interrupted() {
  python3 - "$KML" "$@" <<'P'
import signal, subprocess, sys
kml, word, *arguments = sys.argv[1:]
process = subprocess.Popen([kml, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for line in process.stdout:
    if word in line:
        break
process.send_signal(signal.SIGINT)
_, told = process.communicate(timeout=600)
print(told, end="")
assert process.returncode == 130, (process.returncode, told)
P
}
expect 0 "$KML" submit --name going -- sleep 1000
expect 0 interrupted going list -w
[ -z "$out" ] || fail "the usual end of a watch is told of: $out"
expect 0 interrupted started submit --follow --name followed -- sh -c 'echo started; sleep 1000'
contains "$out" "kml logs -f followed"
"$KML" list | grep -q "followed *Running" || fail "the job did not go on"
