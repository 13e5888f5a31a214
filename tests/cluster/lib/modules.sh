# Controllers that are built from their published modules when they are first needed: each is a separate program with
# its own versions of the Kubernetes libraries.
# shellcheck shell=bash

# build_module NAME MODULE@VERSION "PACKAGE..." FILE...: builds the module's programs into a folder of the cache, and keeps
# the module's FILEs beside them; sets $built to the folder.
build_module() {
  local name=$1 module=$2 packages=$3 folder; shift 3
  built=$cache/$name-${module##*@}
  mkdir -p "$cache"
  exec 9>"$cache/$name.lock"; flock 9
  if [ ! -x "$built/complete" ]; then
    find_go
    [ -n "$go" ] || fail "needs Go 1.26 or newer: run $0 build"
    echo "cluster: building $module, some minutes, once" >&2
    rm -rf "$built"; mkdir "$built"
    folder=$("$go" mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    # Builds in the module's folder, because `go install MODULE@VERSION` rejects modules that replace others.
    # shellcheck disable=SC2086
    (cd "$folder" && CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false -p=2" GOGC=400 nice "$go" build -o "$built/" -ldflags "-s -w" \
      -gcflags=all=-dwarf=false -gcflags="k8s.io/...=-dwarf=false -l" $packages)
    (cd "$folder" && cp --no-preserve=mode -rt "$built" "$@")
    install -m 755 /dev/null "$built/complete"
  fi
  exec 9>&-
}

# established FILE...: creates resource definitions, and waits until their objects are served.
established() {
  local file
  for file in "$@"; do
    k apply --server-side -f "$file" >/dev/null
    until_ok k wait --for=condition=Established -f "$file" --timeout=10s
    until_ok are_served "$file"
  done
}

# webhooks PORT FILE [NAME]: creates the webhook configurations of a file, with the address of a process instead of a
# Service. $authority: the authority that signed its certificate, if it is not the cluster's own.
webhooks() {
  k create --dry-run=client -o json -f "$2" | python3 -c '
import json, sys
port, authority, name = sys.argv[1:]
text, decoder = sys.stdin.read(), json.JSONDecoder()
while text.strip():
    one, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    if not one["kind"].endswith("WebhookConfiguration"): continue
    if name: one["metadata"]["name"] = name
    for hook in one["webhooks"]:
        config = hook["clientConfig"]
        config["url"] = "https://127.0.0.1:" + port + config.pop("service")["path"]
        config["caBundle"] = authority
    print(json.dumps(one))' "$1" "$(base64 -w0 "${authority:-$dir/pki/ca.crt}")" "${3:-}" | k apply -f - >/dev/null
}

new_namespace() { k create namespace "$1" --dry-run=client -o yaml | k apply -f - >/dev/null; }
# run_built PROGRAM NAME FLAG...: starts a program of $built, called NAME. Only the cluster's folder is visible inside.
run_built() {
  cp "$built/$1" "$dir/$2"
  start "$2" env -u KUBECONFIG "$dir/$2" "${@:3}"
}
