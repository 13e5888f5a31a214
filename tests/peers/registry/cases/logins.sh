# With each way to log in, an image is copied from another registry and gets a layer. Then the same layer is added to
# the base, which is now in the registry. A token that lasts a second expires in the middle of a blob.
server() { HOME=$home XDG_CACHE_HOME=$cache "$SOURCE/tests/peers/registry/server" "$@"; }
home=$HOME cache=${XDG_CACHE_HOME:-$HOME/.cache}
. "$SOURCE/tests/cli/lib.sh"
mkdir fake code docker
python3 "$SOURCE/tests/support/fake_registry.py" fake & fake=$!
trap 'status=$?; kill $fake; for login in none basic token; do server down $login; done; finish $status' EXIT
eventually test -s fake/port
base=localhost:$(cat fake/port)/base/python:3
echo 'print(1)' >code/train.py
export DOCKER_CONFIG=docker
for login in none basic token; do
  port=$(server up $login "${login/none/}" 1)
  echo "{\"auths\": {\"localhost:$port\": {\"auth\": \"$(printf ana:secret | base64)\"}}}" >docker/config.json
  expect 0 "$KML" image append "$base" --code code --tag "localhost:$port/one/train:1" -o json
  [ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["baseLayers"]["copied"])' <<<"$out")" = 2 ] || fail "$out"
  echo 'print(2)' >>code/train.py
  expect 0 "$KML" image append "localhost:$port/one/train:1" --code code --tag "localhost:$port/two/train:1" -o json
  [ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["baseLayers"]["mounted"])' <<<"$out")" = 3 ] || fail "$out"
  # An edit of the code takes seconds, whatever the size of the base.
  echo 'print(3)' >>code/train.py
  begun=$EPOCHREALTIME
  expect 0 "$KML" image append "localhost:$port/one/train:1" --code code --tag "localhost:$port/two/train:1"
  echo "$login: an edit of the code took $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000)) ms"
  expect 0 "$KML" image append "${out}" --code code --tag "localhost:$port/three/train:1" # by digest
  echo '{"auths": {}}' >docker/config.json
  [ $login = none ] || expect 4 "$KML" image append "$base" --code code --tag "localhost:$port/one/train:1"
done
