# Gangs of eight in which a random rank dies first, in a random way, and the others within 100 ms of it, as ranks do
# that lose a peer: `kml logs --first-error` names it each time. Half are eight pods of one rank, half one pod of eight
# ranks as torchrun starts them. GANGS says how many.
. "$(dirname "$0")/lib.sh"
gangs=${GANGS:-50}
RANDOM=${SEED:-1}
cat >rank.sh <<'EOF'
rank=${1:-$JOB_COMPLETION_INDEX} culprit=$2
cd "$3"
echo "step 1 loss=0.$rank"
if [ "$rank" = "$culprit" ]; then
  exec 9<>fifo
  until [ "$(echo ready.* | wc -w)" = 7 ]; do sleep 0.05; done
  case $4 in
    exception) echo "Traceback (most recent call last):"; echo "ValueError: no such batch"; exit 1 ;;
    crash) kill -SEGV $$ ;;
    killed) kill -KILL $$ ;;
    silent) exit 7 ;;
  esac
fi
exec 8<fifo
: >ready.$rank
read -r _ <&8  # until the culprit is gone
sleep 0.0$((RANDOM % 10))
case $(((rank + $5) % 4)) in
  0) echo "torch.distributed.DistBackendError: NCCL error, remote process exited or there was a network error"; exit 1 ;;
  1) echo "Watchdog caught collective operation timeout" >&2; kill -ABRT $$ ;;
  2) kill -TERM $$ ;;
  3) echo "RuntimeError: [gloo/transport/tcp/pair.cc] Connection closed by peer"; exit 1 ;;
esac
EOF
cat >launcher.sh <<'EOF'
for rank in 0 1 2 3 4 5 6 7; do
  bash rank.sh $rank "$@" 2>&1 | sed -u "s/^/[default$rank]:/" &
done
wait
exit 1
EOF
right=0
for gang in $(seq "$gangs"); do
  culprit=$((RANDOM % 8)) turn=$RANDOM folder=$work/gang$gang
  mkdir "$folder"
  mkfifo "$folder/fifo"
  if [ $((gang % 2)) = 0 ]; then
    ways=(exception crash killed silent)
    way=${ways[RANDOM % 4]}
    cat >job.json <<EOF
{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "gang$gang", "annotations": {"kml.dev/gang": "true"}},
 "spec": {"completions": 8, "parallelism": 8, "completionMode": "Indexed", "backoffLimit": 0,
  "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "any",
   "command": ["bash", "$work/rank.sh", "", "$culprit", "$folder", "$way", "$turn"]}]}}}}
EOF
    expect 0 "$KML" submit -f job.json
  else
    way=exception
    expect 0 "$KML" submit --name "gang$gang" -- bash launcher.sh "$culprit" "$folder" "$way" "$turn"
  fi
  expect 3 "$KML" logs -f "gang$gang" --first-error
  if [[ "$out" == *"rank $culprit (pod "*" died first"* ]]; then
    right=$((right + 1))
  else
    echo "gang $gang: rank $culprit by $way, but: $out" >&2
  fi
done
echo "the right rank in $right of $gangs gangs"
[ $right = "$gangs" ]
expect 0 "$KML" logs gang1 --first-error -o json
contains "$out" '"exitCode":1'
contains "$out" 'ValueError: no such batch'
expect 0 "$KML" submit --name fine -- true
expect 0 "$KML" logs -f fine --first-error
[ -z "$out" ] || fail "$out"
expect 2 "$KML" logs --pods . --first-error
