. "$(dirname "$0")/lib.sh"
# With time limits, kml estimates the latest start of waiting jobs. Without time limits, it gives no estimate, except
# with --progress.
"$KML" local up --fake-gpus 1 >/dev/null
expect 0 "$KML" submit --name limited --gpus 1 --time-limit 1h -- sleep 1000
eventually sh -c '"$KML" queue | grep -q "limited .*Running .*ends <"'
expect 0 "$KML" submit --name waits --gpus 1 -- true
expect 0 "$KML" submit --name waits-too --gpus 1 -- true
estimated() { "$KML" queue --start --no-headers >now && grep -q '^1 .*waits .*~20' now; }
eventually estimated
# Without a time limit, the duration of the job ahead is unknown.
expect 0 "$KML" queue --start --no-headers
[[ $out == *"waits-too "*" unknown "* ]] || fail "$out"
[ "$(awk '{print $1, $2}' <<<"$out")" = $'1 waits\n2 waits-too' ] || fail "$out"
[[ $out =~ ~20[0-9-]+T[0-9:]+ ]] || fail "no time in: $out"

# On request, kml also uses a training's own progress output for an estimate.
expect 0 "$KML" delete --all --yes
expect 0 "$KML" submit --name steps --gpus 1 -- sh -c 'for i in 1 2 3; do echo step $i/1000; sleep 1; done; echo saved checkpoint-3; exec sleep 1000'
expect 0 "$KML" submit --name next --gpus 1 -- true
told() { "$KML" queue --progress --no-headers >now && grep -q '^- .*steps .*ends ~.* ago .*on ' now; }
eventually told
next() { "$KML" queue --progress --start --no-headers >now && grep -q 'next .*~20' now; }
eventually next
