# `kml env gc` and `kml env verify` on a claim: an environment that a job uses stays, and a damaged one is installed again.
. "$(dirname "$0")/uv_lib.sh"
store="--env-store pvc/shared/envs"
on_claim() { # CODE COMMAND FLAG...
  expect "$1" timeout 1000 "$KML" env "${@:2}" $store --image localhost/uv:1
}
count() { ls "$volume"/envs/*/kml-environment.json 2>/dev/null | wc -l; }
says() { [[ "$("$KML" logs "$1")" == *"$2"* ]]; }

# Two environments, one of them in use.
submit --name once $store
sed -i '/dependencies/s/"tiny"/"tiny", "other"/' code/train.py
start --name holds $store -- sh -c 'python "$0"; until [ -e /kml/environments/go ]; do sleep 0.2; done; python "$0"' train.py
eventually says holds "tiny 1.0 in"
[ "$(count)" = 2 ] || fail "$(ls -A "$volume/envs")"
on_claim 0 verify
[ "$(grep -c 'is unchanged' <<<"$out")" = 2 ] || fail "$out"
on_claim 0 list
[[ "$(grep -c ' 3\.11\.' <<<"$out")" = 2 && "$(grep -c ' in use' <<<"$out")" = 1 ]] || fail "$out"
on_claim 0 list -o json
python3 -c 'import json, sys; first, last = json.load(sys.stdin); assert (first["inUse"], first["packages"], last["packages"]) == (True, 2, 1)' <<<"$out"
on_claim 0 gc --older-than 0s
[ "$(grep -c 'removed environment' <<<"$out")" = 1 ] || fail "$out"
[ "$(count)" = 1 ] || fail "$(ls -A "$volume/envs")"

# The environment in use is damaged. A later job installs it again; the running job continues.
file=$(ls "$volume"/envs/*/lib/python3*/site-packages/other.py)
chmod u+w "$file" && touch -r "$file" time && sed -i 's/1.0/9.9/' "$file" && touch -r time "$file"
on_claim 1 verify
contains "$out" "is damaged: lib/python3.11/site-packages/other.py has changed"
submit --name repairs $store
expect 0 "$KML" logs repairs
contains "$out" 'cannot be used: `kml env verify` found a fault'
contains "$out" "installing 2 packages"
on_claim 0 verify
on_claim 0 gc --older-than 0s
[ -n "$(ls -d "$volume"/envs/.damaged-*)" ] && [ "$(count)" = 1 ] || fail "$(ls -A "$volume/envs")"
touch "$volume/envs/go"
expect 0 timeout 1000 "$KML" wait holds
expect 0 "$KML" logs holds
[ "$(grep -c 'tiny 1.0 in' <<<"$out")" = 2 ] || fail "$out"
on_claim 0 gc --older-than 0s
[ "$(count)" = 0 ] && [ -z "$(ls -d "$volume"/envs/.damaged-* 2>/dev/null)" ] || fail "$(ls -A "$volume/envs")"
submit --name last $store
expect 0 "$KML" logs last
contains "$out" "installing 2 packages"
