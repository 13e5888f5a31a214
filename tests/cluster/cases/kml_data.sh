# `kml submit --data` on a cluster: three pods cause one download onto a claim, from a hub that breaks connections; a
# later job reads the same data, and `kml gc` deletes it.
. "$(dirname "$0")/lib.sh"
need_volume shared ReadWriteMany
folder=$cluster_state/$namespace-hub
mkdir -p "$folder/hub"
cp "$SOURCE/tests/support/fake_hub.py" "$folder"
cluster exec bash -c 'echo $$ >"$1/pid"; exec python3 "$1/fake_hub.py" "$1/hub" --host 10.88.0.1' - "$folder" 2>"$work/hub.log" &
trap 'status=$?; cluster exec kill "$(cat "$folder/pid")" || true; rm -rf "$folder"
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
eventually test -s "$folder/hub/port"
export HF_ENDPOINT=http://10.88.0.1:$(cat "$folder/hub/port") HF_TOKEN=
commit=0123456789abcdef0123456789abcdef01234567
echo break=3000000 >"$folder/hub/mode"
submit() { # FLAG... : with the commit, which needs no request from here
  expect 0 timeout 1000 "$KML" submit --image localhost/busybox:1 --node-selector kubernetes.io/hostname=node1 --wait \
    --data "hf://datasets/ana/rows@$commit:/data" "$@" -- sh -c '/bin/busybox sha256sum </data/data/large.bin; /bin/busybox find /data -type f | /bin/busybox wc -l'
}
submit --name gang -t job-indexed --nodes 3 --data-store pvc/shared
expect 0 "$KML" logs gang
[ "$(grep -c "$(cat "$folder/hub/sum")" <<<"$out")" = 3 ] && [ "$(grep -c '| 1203$' <<<"$out")" = 3 ] || fail "$out"
twice=$(grep '^20. /datasets' "$folder/hub/log" | cut -d' ' -f2 | sort | uniq -d)
[ -z "$twice" ] || fail "fetched twice: $twice"
: >"$folder/hub/log"
submit --name later --data-store pvc/shared
[ ! -s "$folder/hub/log" ] || fail "$(cat "$folder/hub/log")"
submit --name alone
expect 0 "$KML" delete gang later alone
touch -d '40 days ago' "$volume"/.kml-data-*.used
expect 0 timeout 1000 "$KML" gc --data-store pvc/shared --image localhost/busybox:1
contains "$out" "removed hf://datasets/ana/rows@$commit"
! ls -d "$volume"/kml-data-* || fail "$(ls -A "$volume")"
