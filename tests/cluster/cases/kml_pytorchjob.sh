. "$(dirname "$0")/lib.sh"
# The training operator tells each rank its number; two workers reach the master by its name.
cat >ranks.sh <<'C'
# nc exits as soon as the other side exits, perhaps before nc has sent anything. Therefore the caller waits for an
# answer.
hear() {
  until [ -s heard$1 ]; do /bin/busybox nc -l -p $1 -e /bin/sh -c "read -r line && echo \$line >heard$1 && echo heard"; done
  read -r line <heard$1; echo "$line"
}
echo "rank $RANK of $WORLD_SIZE, master $MASTER_ADDR:$MASTER_PORT"
port_of() { echo $((MASTER_PORT + $1)); }
case $RANK in
  0) for rank in 1 2; do echo "the master heard: $(hear $(port_of $rank))"; done ;;
  *) until [ "$(echo "here is $RANK" | /bin/busybox nc $MASTER_ADDR $(port_of $RANK))" = heard ]; do /bin/busybox sleep 0.2; done ;;
esac
C
expect 0 "$KML" submit -t pytorchjob -p clean-pods=None --name ranks --nodes 3 "${on_node1[@]}" -- sh -c "$(cat ranks.sh)"
expect 0 "$KML" wait ranks --timeout 1000s
expect 0 k get pytorchjob ranks -o 'jsonpath={.status.conditions[?(@.status=="True")].type}'
contains "$out" Succeeded
expect 0 "$KML" logs ranks
contains "$out" "rank 0 of 3, master"
for rank in 1 2; do
  contains "$out" "rank $rank of 3, master ranks-master-0:"
  contains "$out" "the master heard: here is $rank"
done
expect 0 "$KML" status ranks
contains "$out" Succeeded
