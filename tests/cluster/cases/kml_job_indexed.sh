. "$(dirname "$0")/lib.sh"
# A master and two workers find each other by name. The Service for these names is deleted with the job.
cat >ranks.sh <<'C'
echo "rank $RANK of $WORLD_SIZE, $PET_NODE_RANK of $PET_NNODES, master $MASTER_ADDR:$MASTER_PORT"
/bin/busybox mkdir -p /tmp/www
echo "here is $RANK" >/tmp/www/name
/bin/busybox httpd -f -v -p $MASTER_PORT -h /tmp/www 2>/tmp/asked &
name_of() { until /bin/busybox wget -q -O - "http://ranks-$1.ranks:$MASTER_PORT/name" 2>/dev/null; do /bin/busybox sleep 0.2; done; }
case $RANK in
  0) for rank in 1 2; do echo "the master heard: $(name_of $rank)"; done ;;
  *) echo "rank $RANK heard: $(name_of 0)" ;;
esac
askers=$((RANK ? 1 : 2)) # whoever has not asked yet still needs this rank
until [ "$(/bin/busybox grep -c response:200 /tmp/asked)" -ge $askers ]; do /bin/busybox sleep 0.2; done
C
expect 0 "$KML" submit -t job-indexed --name ranks --nodes 3 "${on_node1[@]}" -- sh -c "$(cat ranks.sh)"
contains "$out" service/ranks
expect 0 "$KML" wait ranks --timeout 1000s
expect 0 "$KML" logs ranks
contains "$out" "rank 0 of 3, 0 of 3, master ranks-0.ranks:29500"
for rank in 1 2; do
  contains "$out" "the master heard: here is $rank"
  contains "$out" "rank $rank heard: here is 0"
done
expect 0 k get service ranks -o 'jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}'
[ "$out" = Job/ranks ] || fail "owned by '$out'"
expect 0 "$KML" delete ranks
gone() { [ -z "$(k get service ranks -o name --ignore-not-found)" ]; }
eventually gone

# Ranks that fail together each have their retries; the last failure ends the job, once.
expect 3 "$KML" submit -t job-indexed --name crash --nodes 2 --retries 1 --grace 1s "${on_node1[@]}" --wait -- sh -c 'exit 5'
expect 0 "$KML" why crash
contains "$out" "exit code 5; its only retry is used up"
expect 0 k get pods -l job-name=crash -o 'jsonpath={.items[*].metadata.labels.batch\.kubernetes\.io/job-completion-index}'
for rank in 0 1; do [ "$(grep -o $rank <<<"$out" | wc -l)" -le 2 ] || fail "$out"; done
[ "$(wc -w <<<"$out")" -ge 3 ] || fail "no second attempt: $out"

# The Service is created first. If it is rejected, the job is not created.
k create service clusterip taken --tcp=80:80 >/dev/null
expect 1 "$KML" submit -t job-indexed --name taken "${on_node1[@]}" -- true
contains "$err" 'Service "taken" already exists'
[ -z "$(k get job taken -o name --ignore-not-found)" ] || fail "there is a job"
expect 0 k get service taken -o 'jsonpath={.spec.ports[0].port}'
[ "$out" = 80 ] || fail "not the service that was there: $out"
