. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name many --array 0-2 --follow -- sh -c 'echo index $JOB_COMPLETION_INDEX'
for index in 0 1 2; do contains "$out" "$index | index $index"; done
expect 0 "$KML" logs many
[ "$(wc -l <<<"$out")" = 3 ] || fail "$out"
expect 0 "$KML" logs many --tail 0
[ -z "$out" ] || fail "$out"
expect 0 "$KML" logs many --timestamps
contains "$out" "T"

# kml logs prints and follows the logs of 60 pods.
expect 0 "$KML" submit --name crowd --array 0-59 -- sh -c 'echo index $JOB_COMPLETION_INDEX'
for more in -f ""; do
  expect 0 "$KML" logs crowd $more
  [ "$(grep -o 'index .*' <<<"$out" | sort -u | wc -l)" = 60 ] || fail "not all of 60 pods: $out"
done
