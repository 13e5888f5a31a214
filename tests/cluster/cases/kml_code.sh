. "$(dirname "$0")/lib.sh"
# Code reaches each pod, in several Secrets if it is large. It is uploaded once, and is deleted with the last job.
links=()
for program in busybox sh cat gzip tar ls md5sum; do links+=("/bin/busybox:bin/$program"); done
cluster image localhost/tools:1 /bin/busybox "${links[@]}" >/dev/null
with_tools=(--image localhost/tools:1 --node-selector kubernetes.io/hostname=node1)
mkdir code
echo 'echo "in $(pwd): $(md5sum <weights)"; echo x >made && echo writable' >code/run.sh
head -c 2500000 /dev/urandom >code/weights
expect 0 "$KML" submit --name gang --nodes 2 --code code "${with_tools[@]}" --wait --timeout 1000s -- sh run.sh
expect 0 "$KML" logs gang
contains "$out" "in /kml/code: $(md5sum <code/weights)"
contains "$out" writable
[ "$(grep -c writable <<<"$out")" = 2 ] || fail "not both pods: $out"
secrets() { k get secrets -o name | grep -c kml-code || true; }
[ "$(secrets)" = 3 ] || fail "$(secrets) secrets for 2.4 MiB"
expect 0 "$KML" submit --name later --code code "${with_tools[@]}" --wait --timeout 1000s -- sh run.sh
[ "$(secrets)" = 3 ] || fail "the same code was uploaded again"
expect 0 "$KML" delete gang
expect 0 k get job later
owners() { k get secrets -o 'jsonpath={.items[*].metadata.ownerReferences[*].name}'; }
only_later() { [ "$(owners)" = "later later later" ]; }
eventually only_later
expect 0 "$KML" delete later
none() { [ "$(secrets)" = 0 ]; }
eventually none

# With an image that cannot unpack the code, the job fails and reports why.
cluster image localhost/nothing:1 /bin/busybox /bin/busybox:bin/busybox >/dev/null
expect 3 "$KML" submit --name bare --code code --image localhost/nothing:1 --node-selector kubernetes.io/hostname=node1 \
  --wait --timeout 1000s -- /bin/busybox true
expect 0 "$KML" status bare
contains "$out" "the image has no sh, which --code needs"
# Uses dash, because BusyBox's shell has all tools built in.
libraries=()
for library in $(ldd /bin/dash | grep -o '/[^ ]*'); do libraries+=("$library:${library#/}"); done
cluster image localhost/shell:1 /bin/sh /bin/dash:bin/sh "${libraries[@]}" >/dev/null
expect 3 "$KML" submit --name shell --code code --image localhost/shell:1 --node-selector kubernetes.io/hostname=node1 \
  --wait --timeout 1000s -- true
expect 0 "$KML" status shell
contains "$out" "the image has no cat, which --code needs"
