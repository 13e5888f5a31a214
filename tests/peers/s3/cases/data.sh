# `kml submit --data` with a bucket, as s3:// and as gs:// (Google's S3 API): the pods copy its objects, in the
# versions that existed at the submit, and onto a claim only once.
. "$SOURCE/tests/cli/lib.sh"
unshare --user --map-root-user --mount true 2>/dev/null || { echo "SKIPPED: no namespaces here"; exit 0; }
bucket=$BUCKETS/$BUCKET
mkdir -p "$bucket/set/deep"
head -c 20000001 /dev/urandom >"$bucket/set/big"
for i in $(seq 20); do echo "$i" >"$bucket/set/deep/$i"; done
echo other >"$bucket/settle"
keys=(--secret AWS_ACCESS_KEY_ID --secret AWS_SECRET_ACCESS_KEY)
"$KML" submit -f - >/dev/null 2>&1 <<'Y'
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: shared}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}
Y
read_it=(sh -c 'cat /data/big | sha256sum; cat /data/deep/* | wc -l; ls /data')
export STORAGE_EMULATOR_HOST=$AWS_ENDPOINT_URL
for url in "s3://$BUCKET/set" "gs://$BUCKET/set"; do
  expect 0 "$KML" submit --name read --replace "${keys[@]}" --data "$url:/data" --data-store pvc/shared --follow -- "${read_it[@]}"
  contains "$out" "$(sha256sum <"$bucket/set/big" | cut -d' ' -f1)"
  contains "$out" $'20\nbig\ndeep'
  ! "$KML" list jobs -o yaml | grep -q tester-secret || fail "a manifest has the secret"
done
mv "$bucket" "$bucket.away" && mkdir "$bucket"
expect 0 "$KML" rerun read --name again --follow # it is on the claim
contains "$out" $'20\nbig'
rmdir "$bucket" && mv "$bucket.away" "$bucket"

# Tests a job without keys, objects that change after the submit, and a bucket that does not exist.
expect 3 "$KML" submit --name keyless --env AWS_CONFIG_FILE=/none --data "s3://$BUCKET/set:/data" --wait -- true
expect 0 "$KML" why keyless
contains "$out" "--secret AWS_ACCESS_KEY_ID"
expect 0 "$KML" submit --name later "${keys[@]}" --data "s3://$BUCKET/set:/data" --dry-run -o json -- true
echo more >"$bucket/set/more"
source=$(grep -o 's3://[^" ]*#list=[0-9a-f]*' <<<"$out" | head -n 1)
expect 2 "$KML" submit --dry-run --data "s3://no-such-bucket/x:/data" -- true
contains "$err" "no bucket"
tar czf program.tar.gz -C "$(dirname "$KML")" kml-step-s3
mkdir program && split -b 1000000 -d -a 2 program.tar.gz program/
expect 125 "$(dirname "$KML")/kml-step" --bucket data "$work/program" --data "$source" "$work/late" --
contains "$err" "have changed since the job was submitted"
[ ! -e late ] || fail "half-made data"
