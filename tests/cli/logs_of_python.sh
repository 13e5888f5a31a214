. "$(dirname "$0")/lib.sh"
# A Python program's lines appear as soon as it prints them. If it buffers them, kml says why there are none.
cat >train.py <<'P'
import pathlib, time
print("first")
while not pathlib.Path("go").exists():
    time.sleep(0.05)
P
expect 0 "$KML" submit --name prompt -- python3 train.py
"$KML" logs -f prompt >log &
follower=$!
eventually grep -q first log
touch go
wait $follower || fail "kml logs ended with $?"
rm go
expect 0 "$KML" submit --name slow --env PYTHONUNBUFFERED= -- python3 train.py
runs() { "$KML" logs slow 2>notes && grep -q "slow has not printed anything yet; Python buffers its output" notes; }
eventually runs
touch go
expect 0 "$KML" logs -f slow
[ "$out" = first ] || fail "$out"
