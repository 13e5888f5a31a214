# The blocks of README.md and docs/ marked for a cluster run there as printed. The Role in docs/administration.md is
# sufficient for what the page says.
. "$(dirname "$0")/lib.sh"
# The image of the documents: this machine's Python, and a shell.
stdlib=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
exec 9>"$cluster_state/python.lock"; flock 9
if [ ! -e "$cluster_state/python.loaded" ]; then
  mkdir "$work/python"
  tar -C "$stdlib" --exclude test --exclude __pycache__ --exclude 'config-*' -c . | tar -C "$work/python" -x
  mapfile -t libraries < <(ldd /usr/bin/python3 | sed -nE 's,.*(=> |\t)(/([^ ]+)) .*,\2:\3,p')
  cluster image docker.io/library/python:3 /usr/bin/python3 /usr/bin/python3:usr/bin/python3 "$work/python:${stdlib#/}" \
    /bin/busybox:bin/{sh,busybox,tar,gunzip,base64} "${libraries[@]}"
  touch "$cluster_state/python.loaded"
fi
exec 9>&-
trap 'status=$?; cluster kubectl delete --ignore-not-found clusterrole/kml-reader priorityclass/batch priorityclass/urgent >/dev/null || true
  cluster kubectl delete namespace "$namespace" --wait=false >/dev/null || true; finish $status' EXIT
chmod 600 "$KUBECONFIG"
mkdir -p "$XDG_CONFIG_HOME/kml"
echo 'node-selector: {kubernetes.io/hostname: node1}' >"$XDG_CONFIG_HOME/kml/config.yaml"
SETTINGS=$XDG_CONFIG_HOME/kml/config.yaml "$SOURCE/tests/docs/page" --cluster "$SOURCE/README.md" "$SOURCE"/docs/*.md

# Creates a user with only that Role.
need_user ana
k create rolebinding ana --role=kml-user --serviceaccount="$namespace:ana" >/dev/null
may ana create jobs.batch
kml() { "$KML" --context ana "$@"; }
echo 'print("hello")' >hello.py
expect 0 env TOKEN=x "$KML" --context ana submit --name mine --image python:3 --code . --secret TOKEN -- python3 hello.py
expect 0 kml logs -f mine
contains "$out" hello
for command in list queue "status mine" "why mine" "wait mine" "history mine" "cancel mine" "delete mine"; do
  # shellcheck disable=SC2086
  expect 0 kml $command
done
expect 0 kml submit --name long --image python:3 -- python3 -c 'import time; time.sleep(1000)'
for command in "suspend long" "resume long" "wait --for=running long" "cancel long" "logs long" "delete long"; do
  # shellcheck disable=SC2086
  expect 0 kml $command
done
[ "$(k get secrets -o name | wc -l)" = 0 ] || fail "left: $(k get secrets)"

# Without the right to patch pods, a running job is cancelled too, but loses its pods.
k patch role kml-user --type json -p '[{"op": "replace", "path": "/rules/1/verbs", "value": ["get", "list", "watch"]}]' >/dev/null
cannot() { ! k auth can-i patch pods --as "system:serviceaccount:$namespace:ana" >/dev/null; }
eventually cannot
expect 0 kml submit --name stubborn --image python:3 -- python3 -c 'import time; time.sleep(1000)'
expect 0 kml wait --for=running stubborn
expect 0 kml cancel stubborn
contains "$err" "you may not patch pods"
gone() { [ -z "$(k get pods -l job-name=stubborn -o name)" ]; }
eventually gone
expect 0 kml list
contains "$out" "Cancelled"
expect 0 kml doctor
contains "$out" "may patch pods"
