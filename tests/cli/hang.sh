# `kml hang` finds planted faults, with the rank and the cause, and does not report healthy jobs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/local_server.sh"
expect 1 "$KML" hang bert
contains "$err" 'no job "bert"'
expect 2 "$KML" hang bert --for 0s
contains "$err" "between 1s and 10m"
expect 0 "$KML" submit --image none --name large --cpu 100000 --no-check -- true
expect 1 "$KML" hang large
contains "$err" "kml why large"
expect 0 "$KML" submit --image none --name arr --array 0-1 -- sleep 10000
expect 2 "$KML" hang arr
contains "$err" "kml hang arr-N"

# gang NAME FAULT CULPRIT [FLAG...]: starts three ranks, one of which has the fault.
gang() {
  mkdir "$work/$1"
  expect 0 "$KML" submit --image none --name "$1" -t job-indexed --nodes 3 --cpu 10m "${@:4}" -- \
    python3 "$SOURCE/tests/support/hang_rank.py" "$work/$1" 3 "$3" "$2"
}
# says NAME VERDICT CAUSE RANK: checks kml's answer.
says() {
  "$KML" hang "$1" --for 1s -o json >"$work/said" 2>"$work/said.err" || return 1
  [ "$(sed -n 's/.*"verdict": "\(.*\)".*/\1/p' "$work/said")" = "$2" ] &&
    [ "$(sed -n 's/.*"cause": "\(.*\)".*/\1/p' "$work/said")" = "$3" ] &&
    [ "$(tr -d ' \n' <"$work/said" | sed -n 's/.*"culprits":\[\([^]]*\)\].*/\1/p')" = "$4" ]
}
found() { eventually says "$@"; }
gang save checkpoint 0
gang work work 1
found save moves checkpoint '"0"'
found work moves slow-rank '"1"'
expect 0 "$KML" delete save work --yes # they would keep a processor busy to the end
gang sleep sleep 1
gang stop stop 2
gang input input 1
gang open open 2
gang die die 1 --retries 2
gang error exception 0
gang slow none 0
[ ! "$(type -P py-spy)" ] || gang other mismatch 2
found sleep stuck behind '"1"'
found stop stuck stopped '"2"'
found input stuck input-stall '"1"'
found open stuck input-stall '"2"'
found die stuck dead-peer '"1"'
found error stuck exception '"0"'
found slow moves none ''
[ ! "$(type -P py-spy)" ] || found other stuck mismatch '"2"'

# A rank died, and its new pod waits; the other ranks may never learn of that.
gang lost die 1 --retries 2
eventually test -e "$work/lost/at_fault"
node=$(kubectl get nodes -o jsonpath={.items[0].metadata.name})
kubectl cordon "$node" >/dev/null
waits() { "$KML" status lost | grep -q Pending; }
eventually waits
found lost stuck dead-peer '"1"'
kubectl uncordon "$node" >/dev/null

# Checks the text: the verdict, the rank, the cause, and what kml could not read.
expect 0 "$KML" hang input --for 1s
contains "$out" "STUCK "
contains "$out" "ranks 0,2 wait"
contains "$out" "rank 1  input-1-"
contains "$out" "waits for input"
contains "$out" "cause:  input stall on rank 1   ("
contains "$out" "next:   kml shell input/1; kml logs input --rank 1 --since "
contains "$out" "not seen: "
# If the image lacks py-spy, kml copies py-spy into the pod for the samples, and then removes it.
if [ ! "$(type -P py-spy)" ]; then
  echo 'echo "[{\"pid\":1,\"thread_name\":\"MainThread\",\"frames\":[{\"name\":\"pull_batch\",\"filename\":\"given.py\",\"line\":7}]}]"' >spy
  expect 2 "$KML" hang input --py-spy ./spy
  contains "$err" "cannot run ./spy"
  (echo '#!/bin/sh'; echo 'echo "$0" >>'"$work/used"; cat spy) >spy.sh
  chmod +x spy.sh
  expect 0 "$KML" hang input --for 1s --py-spy ./spy.sh
  contains "$out" "given.py:7"
  for copy in $(cat used); do [ ! -e "$copy" ] || fail "py-spy is left behind: $copy"; done
fi
# If the image has py-spy, nothing is copied. A pipe could not be copied without a message.
mkdir bin && printf '#!/bin/sh\necho "[]"\n' >bin/py-spy && chmod +x bin/py-spy
mkfifo -m 755 given-spy
expect 0 "$KML" submit --image none --name has-spy --env "PATH=$work/bin:$PATH" --cpu 10m --no-check -- sleep 10000
spied() { "$KML" hang has-spy --for 1s --py-spy ./given-spy >spied.out 2>spied.err; }
eventually spied
[[ "$(cat spied.err)" != *given-spy* ]] || fail "py-spy was copied although the image has it: $(cat spied.err)"
# The printed command solves the problem.
expect 0 "$KML" hang stop --for 1s
eval "$(sed -n 's/^  next: *\([^;]*\);.*/\1/p' <<<"$out" | sed "s|^kml |$KML |")"
found stop moves none ''
expect 0 "$KML" delete --all --yes
