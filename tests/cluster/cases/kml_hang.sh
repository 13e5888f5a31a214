. "$(dirname "$0")/lib.sh"
# Tests `kml hang` in containers on a real node: exec shows the processes, and a port without a listener is not an
# error. The image has only a shell, no Python and no GPU.
b=/bin/busybox
run='echo step=1; echo step=2; case $JOB_COMPLETION_INDEX in 1) '$b' mkfifo /data; read -r _ </data ;; esac; '$b' nc -l -p 7777'
expect 0 "$KML" submit --name j -t job-indexed --nodes 3 "${on_node1[@]}" -- $b sh -c "$run"
# Waits until all ranks have come that far, because before that, a different rank can be the one that hangs.
stuck() {
  timeout 1000 "$KML" hang j >"$work/said" 2>&1 && grep -q '^STUCK' "$work/said" &&
    grep -qF "ranks 0,2 wait; rank 1: waits for input: " "$work/said"
}
(eventually stuck) || fail "$(cat "$work/said")"
said=$(cat "$work/said")
contains "$said" "rank 1  j-1-"
contains "$said" " on node1"
contains "$said" "cause:  input stall on rank 1   (processes; high confidence)"
contains "$said" "not seen: NCCL's RAS (nothing listens on port 28028)"

# A stopped process is found at once, and the command that kml prints continues it.
expect 0 "$KML" submit --name s "${on_node1[@]}" -- $b sh -c 'echo step=1; '$b' nc -l -p 7778 & kill -STOP $!; wait'
stopped() { timeout 1000 "$KML" hang s >"$work/said" 2>&1 && grep -q 'is stopped by a signal' "$work/said"; }
eventually stopped
contains "$(cat "$work/said")" "cause:  stopped process on "
eval "timeout 1000 $(sed -n 's/^  next: *kml \(exec [^;]*\);.*/$KML \1/p' "$work/said")"
continues() { timeout 1000 "$KML" hang s >"$work/said" 2>&1 && ! grep -q 'stopped' "$work/said"; }
eventually continues
