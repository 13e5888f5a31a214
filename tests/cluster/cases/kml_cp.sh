. "$(dirname "$0")/lib.sh"
# Tests `kml cp` from and to containers and claims of a real node.
mkdir -p 'tree/a b' tree/many here
head -c 50000000 /dev/urandom >tree/large
for i in $(seq 1000); do echo "$i" >"tree/many/$i"; done
printf x >$'tree/a b/new\nline'
ln -s ../large 'tree/a b/link'
chmod 750 'tree/a b'
touch -d @1700000000 tree/large
same() {
  diff -r --no-dereference "$1" "$2" || fail "$1 and $2 differ"
  [ "$(stat -c '%a %Y' "$1/large"; stat -c %a "$1/a b")" = "$(stat -c '%a %Y' "$2/large"; stat -c %a "$2/a b")" ] || fail "modes or times"
}
need_volume runs ReadWriteOnce
b=/bin/busybox
expect 0 "$KML" submit --name j --nodes 2 "${on_node1[@]}" --mount pvc/runs:/out -- $b sh -c "until [ -e /tmp/end ]; do $b sleep 1; done"
eventually timeout 100 "$KML" exec j/0 -- $b mkdir -p /tmp
eventually timeout 100 "$KML" exec j/1 -- $b mkdir -p /tmp

expect 0 timeout 1000 "$KML" cp tree j/1:/tmp/
contains "$err" "sha256sum is equal on both sides"
expect 0 timeout 1000 "$KML" cp j/1:/tmp/tree here
same tree here/tree
[ -z "$out" ] || fail "printed: $out"
expect 1 timeout 1000 "$KML" cp j/0:/tmp/tree here
contains "$err" "no file or folder j/0:/tmp/tree"
expect 0 timeout 1000 "$KML" cp tree/large j:/out/
contains "$err" "using j/0, the first of 2 running pods"
cmp tree/large "$volume/large"
# A full disk is reported while kml still sends: 64 MiB fit into a container's /dev/shm.
truncate -s 80M zeros
expect 1 timeout 1000 "$KML" cp zeros j/1:/dev/shm/
contains "$err" "No space left on device"

# Copies to the claim, with and without a running job.
expect 0 timeout 1000 "$KML" cp --image localhost/busybox:1 tree pvc/runs/
same tree "$volume/tree"
for rank in 0 1; do timeout 1000 "$KML" exec j/$rank -- $b touch /tmp/end || true; done # the pod may end first
expect 0 timeout 1000 "$KML" wait j
expect 0 timeout 1000 "$KML" cp j:/out/tree here/again
contains "$err" "which mounts claim runs"
same tree here/again
expect 1 timeout 1000 "$KML" cp j:/tmp/tree here
contains "$err" "is not on a volume claim that kml can mount"
helpers_are_gone() { ! k get pods -o name | grep -q kml-cp; }
eventually helpers_are_gone
# Ctrl-C also removes the pod, even while it starts.
timeout -s INT 5 "$KML" cp --image localhost/missing:1 pvc/runs/tree here/third 2>"$work/ended" || true
eventually helpers_are_gone

# A user who may not start commands in pods gets an error that names the missing right.
need_user ana
k create role reader --verb=get,list,watch --resource=jobs.batch,pods >/dev/null
k create rolebinding reader --role=reader --serviceaccount="$namespace:ana" >/dev/null
may ana list pods
expect 0 "$KML" submit --name k "${on_node1[@]}" -- $b sleep 10000
eventually timeout 100 "$KML" exec k -- $b true
expect 4 timeout 1000 "$KML" --context ana cp job/k:/tmp here
contains "$err" 'cannot get resource "pods/exec"'
expect 4 timeout 1000 "$KML" --context ana cp pvc/runs/tree here
contains "$err" 'cannot create resource "pods"'
