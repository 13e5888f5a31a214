# The values of a progress bar are read while it is redrawn: a trial is stopped early even if its bar never ends its
# line.
. "$(dirname "$0")/lib.sh"
cat >train.sh <<'T'
for epoch in 0 1 2 3 4; do
  printf '\rEpoch %d: 50%%|# | 1/2 [train_loss=9]\rEpoch %d: 100%%|##| 2/2 [train_loss=9, val_loss=%d]' $epoch $epoch $1
  [ $1 -lt 4 ] || until [ $epoch -lt 4 ] || [ -e stopped ]; do sleep 0.1; done
done
T
timeout 1000 "$KML" sweep run bar --param x=1..4 --minimize val_loss --trials 4 --parallel 1 --algorithm grid --early-stopping median \
  --resource Epoch:1..4 -- sh train.sh '{x}' >table 2>notes || fail "$(cat table notes)"
grep -q '^trial 3 pruned' table || fail "$(cat table)"
expect 0 "$KML" sweep export bar -o jsonl
curve=$(head -1 <<<"$out" | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["curve"])')
[ "$curve" = "[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0]]" ] || fail "$curve"
