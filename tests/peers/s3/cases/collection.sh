# kml gc --store removes results that were not used for long, and nothing that another result needs.
. "$SOURCE/tests/cli/lib.sh"
: >code
store=s3://$BUCKET/team
objects=$BUCKETS/$BUCKET/team/v1
cat >p.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: iris}
spec:
  params: {trees: {type: int, default: 3}}
  defaults: {code: {paths: [code]}}
  steps:
    load: {command: [sh, -c, 'echo data >"$0"', "${out.data}"], outputs: {data: dataset}}
    train:
      inputs: {data: load.data}
      command: [sh, -c, 'mkdir "$1"; cp "$0" "$1/data"; echo "$2" >"$1/trees"', "${in.data}", "${out.model}", "${params.trees}"]
      outputs: {model: model}
Y
everything() { find "$objects" -type f | sort; }
made() { find "$objects/$1" -type f | wc -l; }
expect 0 "$KML" run p.yaml --store "$store"
expect 0 "$KML" run p.yaml --store "$store" -p trees=4 --name used
[ "$(made ac) $(made manifests) $(made blobs)" = "3 3 3" ] || fail "$(everything)"
echo mine >"$BUCKETS/$BUCKET/team/v1/blobs/notes"
before=$(everything)

# Even with --keep 0s, nothing younger than a day is removed.
expect 0 "$KML" gc --store "$store" --keep 0s
contains "$err" "nothing to remove"
find "$objects" -type f -exec touch -d '40 days ago' {} +
expect 0 "$KML" gc --store "$store" --keep 50d
contains "$err" "nothing to remove"
expect 0 "$KML" gc --store "$store" --dry-run
contains "$out" "would remove 3 results"
[ "$(everything)" = "$before" ] || fail "a dry run removed something"

# Another machine uses two of the three results. These then stay, with all files that they name.
export XDG_STATE_HOME=$work/second
expect 0 "$KML" run p.yaml --store "$store" -p trees=4
contains "$out" "made by used"
expect 0 "$KML" gc --store "$store"
contains "$out" "removed 1 result "
contains "$out" "removed 1 tree "
contains "$out" "removed 1 file "
[ "$(made ac) $(made manifests) $(made blobs)" = "2 2 3" ] || fail "$(everything)"
[ -e "$objects/blobs/notes" ] || fail "it removed what kml did not write"
"$KML" local down --force >/dev/null 2>&1
export XDG_STATE_HOME=$work/third
expect 0 "$KML" run p.yaml --store "$store" -p trees=4 --dry-run
[ "$(grep -c HIT "$work/out")" = 2 ] || fail "$out"
expect 0 "$KML" run p.yaml --store "$store"
[ "$(made ac) $(made manifests) $(made blobs)" = "3 3 4" ] || fail "$(everything)"

# A pinned artifact stays in the bucket, whichever machine collects. Without the pin, it is removed.
pinned=$("$KML" run list -o name | head -n 1)/train.model
expect 0 "$KML" artifact pin "$pinned"
[ "$(made pins)" = 1 ] || fail "$(everything)"
find "$objects" -type f -exec touch -d '40 days ago' {} +
export XDG_STATE_HOME=$work/fourth
expect 0 "$KML" gc --store "$store"
[ "$(made ac) $(made manifests) $(made blobs)" = "0 1 3" ] || fail "$(everything)"
export XDG_STATE_HOME=$work/third
expect 0 "$KML" artifact unpin "$pinned"
expect 0 "$KML" gc --store "$store"
[ "$(made pins) $(made manifests) $(made blobs)" = "0 0 1" ] || fail "$(everything)"

expect 2 "$KML" gc --store "$store" --keep-last 3
contains "$err" "--keep-last and --max-size cannot be used with --store"
expect 2 "$KML" gc --store pvc/claim
