# `kml image append` adds code to an image in a registry. kml overcomes many faults of a registry, and the others
# end the command with an error.
. "$(dirname "$0")/lib.sh"
mkdir registry code
python3 "$SOURCE/tests/support/fake_registry.py" registry & registry=$!
trap 'status=$?; kill $registry; finish $status' EXIT # finish would see kill's status
eventually test -f registry/port
at=localhost:$(cat registry/port)
echo 'print(1)' >code/train.py
mkdir code/package
touch code/package/__init__.py
ln -s train.py code/link.py
mode() { echo "$*" >registry/mode; : >registry/log; }
# Each case uses a new repository, so that all blobs must be sent.
count=0
folder=code
append() { "$KML" image append "$at/base/python:3" --code $folder --tag "$at/team/$((count += 1)):1" "$@"; }
log() { grep -c "$1" registry/log || true; }
manifests() { find registry/manifests -type f 2>/dev/null | wc -l; }

# The result is an image with the base's layers, and one more layer with the code. kml prints its digest.
mode
expect 0 append
[[ $out =~ ^$at/team/1@sha256:[0-9a-f]{64}$ ]] || fail "$out"
contains "$err" "code: 3 files"
contains "$err" "tag: $at/team/1:1"
digest=${out#*@}
[ "sha256:$(sha256sum <registry/manifests/team/1/1 | cut -d' ' -f1)" = "$digest" ] || fail "another digest"
[ "$(log 'POST .*mount=')" = 2 ] && [ "$(log 'PUT .*/blobs/')" = 2 ] || fail "$(cat registry/log)"
field() { python3 -c "import json, sys; print(eval('value' + sys.argv[2], {'value': json.load(open(sys.argv[1]))}))" "$@"; }
[ "$(field registry/manifests/team/1/1 '["layers"].__len__()')" = 3 ] || fail "$(cat registry/manifests/team/1/1)"
config=registry/blobs/$(field registry/manifests/team/1/1 '["config"]["digest"]')
[ "$(field "$config" '["config"]')" = "{'Env': ['PATH=/bin'], 'WorkingDir': '/kml/code'}" ] || fail "$(cat "$config")"
[ "$(field "$config" '["architecture"], value["extra"]')" = "('amd64', 1)" ] || fail "$(cat "$config")"
layer=registry/blobs/$(field registry/manifests/team/1/1 '["layers"][2]["digest"]')
[ "$(gzip -dc "$layer" | sha256sum | cut -d' ' -f1)" = "$(field "$config" '["rootfs"]["diff_ids"][2][7:]')" ] || fail "diff_id"
TZ=UTC tar --numeric-owner -tvzf "$layer" | awk '{print $1, $2, $4, $6, $7, $8}' | diff - <(cat <<'T'
drwxr-xr-x 0/0 1970-01-01 kml/  
drwxr-xr-x 0/0 1970-01-01 kml/code/  
lrwxr-xr-x 0/0 1970-01-01 kml/code/link.py -> train.py
drwxr-xr-x 0/0 1970-01-01 kml/code/package/  
-rw-r--r-- 0/0 1970-01-01 kml/code/package/__init__.py  
-rw-r--r-- 0/0 1970-01-01 kml/code/train.py  
T
)
# The same command again makes the same bytes, so only the manifest is written. Files with another time, in
# a folder with another name, give the same image.
cp -r code other
touch -d 2001-01-01 other/*
count=0
mode
folder=other expect 0 append
[ "${out#*@}" = "$digest" ] && [ "$(log ' P[A-Z]*T .*/blobs/')" = 0 ] || fail "$out $(cat registry/log)"
# Without a tag, the tag is made from the digest. The output is JSON, and the image is for another platform.
mode
expect 0 "$KML" image append "$at/base/python:3" --code code --tag "$at/team/data" --platform linux/arm64 -o json
tag=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["tag"])' <<<"$out")
[[ $tag =~ ^$at/team/data:kml-[0-9a-f]{12}$ ]] || fail "$out"
# A platform has several spellings.
digest_of_arm64=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["image"])' <<<"$out")
for platform in arm64 linux/aarch64 linux/arm64/v8 Linux/ARM64; do
  expect 0 "$KML" image append "$at/base/python:3" --code code --tag "$at/team/data" --platform $platform
  [ "$out" = "$digest_of_arm64" ] || fail "$platform: $out, not $digest_of_arm64"
done
# If --path names another folder, the layer has no entries for the folders above it.
mode
expect 0 "$KML" image append "$at/base/python:3" --code code --tag "$at/team/data:app" --path /srv/app
layer=registry/blobs/$(field registry/manifests/team/data/app '["layers"][2]["digest"]')
[ "$(tar -tzf "$layer" | head -1)" = srv/app/link.py ] || fail "$(tar -tzf "$layer")"
of_app=$out
expect 0 "$KML" image append "$at/base/python:3" --code code --tag "$at/team/data:app" --path /srv//./app/
[ "$out" = "$of_app" ] || fail "another spelling of --path gives another image: $out, not $of_app"

mkdir docker
echo "{\"auths\": {\"$at\": {\"auth\": \"$(printf ana:secret | base64)\"}}}" >docker/config.json
# Faults of a registry that kml overcomes. Each row has the registry's mode, and a pattern that its log must
# then contain.
while read -r words; do
  mode "${words%%|*}"
  DOCKER_CONFIG=docker expect 0 append
  [ "${out#*@}" = "$digest" ] || fail "$words: another image: $out"
  [[ $words != *\|?* ]] || grep -q "${words#*|}" registry/log || fail "$words: $(cat registry/log)"
done <<'T'
basic |basic
bearer |GET /token
bearer expire=2 |401 
bearer expire=1 no-mount |401
no-mount |202 PATCH
no-mount cut=3 |cut PATCH
no-mount refuse=2 |503 PATCH
no-mount refuse=2 cut=3 redirect |307 GET
no-mount small=3000000 |413 PATCH
no-mount no-chunks |405 PATCH
no-mount no-ranges |416 PATCH
no-mount forget |404
no-mount bearer expire=5 cut=3 redirect |200 GET /elsewhere.* none\|206 GET /elsewhere.* none
T

# Faults that end the command. Each row has the registry's mode, the exit code, and a part of the message.
# No manifest is written.
before=$(manifests)
rm -f docker/config.json
while IFS='|' read -r words code text; do
  mode "$words"
  DOCKER_CONFIG=docker expect "$code" append
  [[ $err == *"$text"* ]] || fail "$words: $err"
done <<'T'
basic|4|needs a user and a password
bearer|4|get a token
bearer anonymous|4|cannot write to
forbidden|4|DENIED
no-mount lose|1|does not keep the data
no-mount wrong-layer|1|has another digest
wrong-config|1|has another digest
wrong-manifest|1|has the digest
garbage=text|1|the manifest of
garbage=list|1|is not a JSON object
garbage=deep|1|deeper than
garbage=sizes|1|the size of sha256:
garbage=names|1|without a sha256 digest
garbage=endless|1|has more than
garbage=html|1|the manifest of
downgrade|1|not a URL for https
T
[ "$(manifests)" = "$before" ] || fail "an image was written: $(find registry/manifests)"
mode wrong-stored
expect 1 append
contains "$err" "it stored the image as"

# Tests invalid names on the command line and in the folder.
mode
mkdir -p rooted/bin rooted/usr/bin
touch rooted/bin/run.sh rooted/usr/bin/run.sh
while IFS='|' read -r code text arguments; do
  expect "$code" "$KML" image append $arguments
  contains "$err" "$text"
done <<T
2|is not the name of an image|../x --code code --tag $at/x
2|is not the name of an image|$at/base/python:3 --code code --tag $at/Team
2|is not the name of an image|$at/base/python:3 --code code --tag $at/a/../b
2|its host is invalid|$at/base/python:3 --code code --tag a:b:1/c
2|a digest is|$at/base/python@sha256:00 --code code --tag $at/x
2|has a digest|$at/base/python:3 --code code --tag $at/x@sha256:$(printf %064d 0)
2|MANIFEST_UNKNOWN|$at/base/none:3 --code code --tag $at/x
2|has no image for linux/s390x|$at/base/python:3 --code code --tag $at/x --platform linux/s390x
2|nowhere is not a folder|$at/base/python:3 --code nowhere --tag $at/x
2|--tag is missing|$at/base/python:3 --code code
2|nothing to append|$at/base/python:3 --tag $at/x
2|is not an absolute path|$at/base/python:3 --code code --tag $at/x --path a/b
2|deletes a file of the image|$at/base/python:3 --code code --tag $at/x --path /srv/.wh.app
2|is not a version of Python|$at/base/python:3 --requirements r.txt --tag $at/x --python abc
2|is not a version of Python|$at/base/python:3 --requirements r.txt --tag $at/x --python 3
2|--tag is given 2 times|$at/base/python:3 --code code --tag $at/x:1 --tag $at/x:2
2|/bin is a link to /usr/bin|$at/base/python:3 --code code --tag $at/x --path /bin
2|/lib64 is a link to /usr/lib64|$at/base/python:3 --code code --tag $at/x --path /lib64/app
2|the file /bin/run.sh cannot be part of an image|$at/base/python:3 --code rooted --tag $at/x --path /
5|no response|127.0.0.1:1/base --code code --tag $at/x
T
touch code/.wh.train.py
expect 2 append
contains "$err" "deletes a file of the image"
rm code/.wh.train.py
# Only the folder at the root would replace a link.
rm rooted/bin/run.sh
expect 0 "$KML" image append "$at/base/python:3" --code rooted --tag "$at/x:rooted" --path /

# Tests logins: a credential helper gets the registry's name, a refresh token is used, and the user's
# kubectl preferences decide whether the helper runs.
mkdir bin
cat >bin/docker-credential-test <<S
#!/bin/sh
read -r name || [ -n "\$name" ]
echo "\$1 \$name" >>$work/helper
cat $work/answer
S
chmod +x bin/docker-credential-test
echo '{"credsStore": "test"}' >docker/config.json
export DOCKER_CONFIG=docker PATH=$work/bin:$PATH
mode bearer
echo '{"Username": "ana", "Secret": "secret"}' >answer
expect 0 append
[ "$(cat helper)" = "get $at" ] || fail "$(cat helper)"
echo '{"Username": "<token>", "Secret": "lasting"}' >answer
expect 0 append
grep -q 'POST /token' registry/log || fail "$(cat registry/log)"
echo '{"Username": "ana", "Secret": "wrong"}' >answer
expect 4 append
[[ $err != *wrong* ]] || fail "a secret is printed: $err"
echo 'garbage' >answer
expect 4 append
contains "$err" "lacks Username or Secret"
mkdir -p "$HOME/.kube"
echo '{apiVersion: kubectl.config.k8s.io/v1beta1, kind: Preference, credentialPluginPolicy: DenyAll}' >"$HOME/.kube/kuberc"
expect 2 append
contains "$err" "not allowed to run the command \"docker-credential-test\""
rm "$HOME/.kube/kuberc"
for helper in ../bin/docker-credential-test absent; do
  echo "{\"credHelpers\": {\"$at\": \"$helper\"}}" >docker/config.json
  got=0; append >out 2>err || got=$?
  [ $got != 0 ] && grep -q 'credential helper is invalid\|not installed' err || fail "$helper: $(cat err)"
done

# kml submit can also append the code; the job then runs the new image.
echo '{"auths": {}}' >docker/config.json
mode
kubeconfig_of_cluster
export KUBECONFIG=kubeconfig
image() { python3 -c 'import json, sys; c = json.load(sys.stdin)["spec"]["template"]["spec"]; print(c["containers"][0]["image"], c["containers"][0]["workingDir"], len(c.get("initContainers", [])))' <<<"$out"; }
submit() { "$KML" submit --image "$at/base/python:3" --code code --image-append "$at/team/job" "$@" -- python train.py; }
before=$(manifests)
expect 0 submit --dry-run -o json
[[ $(image) = "$at/team/job@$digest /kml/code 0" ]] || fail "$out"
contains "$err" "which a dry run does not write"
[ "$(manifests)" = "$before" ] || fail "a dry run has written an image"
expect 0 submit --dry-run -o json --chdir package
[[ $(image) = "$at/team/job@$digest /kml/code/package 0" ]] || fail "$out"
expect 5 submit # the cluster does not answer
[ "$(manifests)" != "$before" ] || fail "no image was written"
expect 2 "$KML" submit --code code --image-append "$at/x" -- true
contains "$err" "needs an image"
expect 2 "$KML" submit --image "$at/base/python:3" --image-append "$at/x" -- true
contains "$err" "needs --code"
expect 2 "$KML" submit --context local --image "$at/base/python:3" --code code --image-append "$at/x" -- true
contains "$err" "only on a cluster"
expect 2 submit --plan plan.json
contains "$err" "cannot be used with"
# If an untrusted kml.yaml names the base image, its registry gets none of the user's passwords until the
# user trusts the file.
python3 "$SOURCE/tests/support/fake_registry.py" "$(mkdir other_registry; echo other_registry)" & other=$!
trap 'status=$?; kill $registry $other; finish $status' EXIT
eventually test -f other_registry/port
echo basic >other_registry/mode
echo basic >registry/mode
there=localhost:$(cat other_registry/port)
auth="{\"auth\": \"$(printf ana:secret | base64)\"}"
echo "{\"auths\": {\"$at\": $auth, \"$there\": $auth}}" >docker/config.json
mkdir project
cp code/train.py project
echo "image: $there/base/python:3" >project/kml.yaml
export DOCKER_CONFIG=$work/docker KUBECONFIG=$work/kubeconfig
cd project
project() { "$KML" submit --code . --image-append "$at/team/job" --dry-run -- python train.py; }
expect 4 project
contains "$err" "you are not logged in"
grep -q ' basic ' ../other_registry/log && fail "a password was sent"
"$KML" trust kml.yaml >/dev/null 2>&1
expect 0 project
