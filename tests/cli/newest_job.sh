# In commands that take a job, "@" is the newest job that the user submitted.
. "$(dirname "$0")/lib.sh"
export USER=ana
expect 1 "$KML" status @
contains "$err" "you have no job in namespace default"
expect 0 "$KML" submit --name zz-old --wait -- echo from the old one
expect 0 "$KML" submit --name aa-new --wait -- echo from the new one
expect 0 env USER=bob "$KML" submit --name of-bob --wait -- true
for command in "status @ -o name" "status job.batch/aa-new -o name"; do
  expect 0 "$KML" $command
  [ "$out" = job.batch/aa-new ] || fail "$command: $out"
done
expect 0 "$KML" logs @
contains "$out" "from the new one"
expect 0 "$KML" why @
contains "$out" aa-new
expect 0 "$KML" wait @
contains "$err" aa-new
expect 0 "$KML" history @ -o json
contains "$out" aa-new
expect 0 env USER=bob "$KML" status @ -o name
[ "$out" = job.batch/of-bob ] || fail "$out"
expect 0 "$KML" delete @
[ "$out" = "job aa-new deleted" ] || fail "$out"
expect 0 "$KML" status @ -o name
[ "$out" = job.batch/zz-old ] || fail "$out"
expect 0 "$KML" rerun @ -o name
contains "$out" job.batch/of-bob

# Jobs submitted in the same second are in the order of their submits, whatever their names; @ and kml list agree.
for name in m z a y b x c; do expect 0 "$KML" submit -n default --name "order-$name" --set spec.suspend=true -- true; done
expect 0 "$KML" list --state suspended -o 'jsonpath={.items[*].metadata.name}'
[ "$out" = "order-m order-z order-a order-y order-b order-x order-c" ] || fail "oldest first: $out"
expect 0 "$KML" list --state suspended --sort newest -o 'jsonpath={.items[*].metadata.name}'
[ "$out" = "order-c order-x order-b order-y order-a order-z order-m" ] || fail "newest first: $out"
expect 0 "$KML" list --state suspended --limit 1 -o name
[ "$out" = job.batch/order-c ] || fail "$out"
expect 0 "$KML" status @ -o name
[ "$out" = job.batch/order-c ] || fail "$out"
