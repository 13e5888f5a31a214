. "$(dirname "$0")/lib.sh"
# The training operator tells each rank who it is; the worker reaches the master by its name.
cat >ranks.sh <<'C'
echo "rank $RANK of $WORLD_SIZE, master $MASTER_ADDR:$MASTER_PORT"
case $RANK in
  0) echo "the master says $(/bin/busybox nc -l -p $MASTER_PORT)" ;;
  *) until echo "rank $RANK was here" | /bin/busybox nc -w 1 $MASTER_ADDR $MASTER_PORT; do /bin/busybox sleep 0.2; done ;;
esac
C
expect 0 "$KML" submit -t pytorchjob --name ranks --nodes 2 "${on_node1[@]}" -- sh -c "$(cat ranks.sh)"
expect 0 "$KML" wait ranks --timeout 120s
expect 0 k get pytorchjob ranks -o 'jsonpath={.status.conditions[?(@.status=="True")].type}'
contains "$out" Succeeded
expect 0 "$KML" logs ranks
contains "$out" "rank 0 of 2, master"
contains "$out" "rank 1 of 2, master ranks-master-0:"
contains "$out" "the master says rank 1 was here"
expect 0 "$KML" status ranks
contains "$out" Succeeded
