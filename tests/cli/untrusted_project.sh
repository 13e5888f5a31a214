. "$(dirname "$0")/lib.sh"
# A kml.yaml that came with a folder may only describe the job, unless the user trusts it.
mkdir project && cd project
export TOKEN=t0ps3cret
echo t0ps3cret >"$work/key"

# refused TEXT PART: checks that a kml.yaml with that text is rejected, and that nothing from it is sent or printed.
refused() {
  echo "$1" >kml.yaml
  expect 2 "$KML" submit --dry-run -- true
  contains "$err" "kml: error: kml.yaml is not trusted"
  contains "$err" "$2"
  contains "$err" "fix: review kml.yaml, then: kml trust"
  [[ "$out$err" != *t0ps3cret* && -z "$out" ]] || fail "printed: $out$err"
}
mkdir templates
echo 'spec: {}' >templates/job.yaml
echo 'spec: {}' >templates/own.yaml
refused 'secrets: [TOKEN]' "kml.yaml:1:11 secrets: sends your environment variable TOKEN"
refused 'secrets: [TOKEN=@../key]' "secrets: sends the file ../key"
refused 'env-from: [theirs]' "env-from: uses the secret theirs"
refused 'pull-secrets: [theirs]' "pull-secrets: uses the secret theirs"
refused 'service-account: root' "service-account: uses the service account root"
refused 'mounts: ["secret/theirs:/s"]' "mounts: mounts a secret"
refused 'mounts: ["host/etc:/e"]' "mounts: mounts a folder on the host"
refused 'code: ..' "code: sends a folder outside the folder of kml.yaml: .."
refused 'templates: ./templates' "templates: replaces built-in templates or your own: job"
refused 'templates: ..' "templates: "
refused 'template: ./templates/own.yaml' "template: uses a template that is neither built in nor your own"
refused 'context: prod' "kml.yaml:1:10 context: selects the context prod"
refused 'namespace: theirs' "kml.yaml:1:12 namespace: selects the namespace theirs"
refused 'env: {LD_PRELOAD: ./x.so}' "kml.yaml:1:19 env: sets LD_PRELOAD for your command"
refused 'annotations: {vault.hashicorp.com/agent-inject: "true"}' "annotations: sets the annotation vault.hashicorp.com/agent-inject"
# A context from kml.yaml is also rejected for other commands and for manifests. The file can still be viewed.
echo 'context: prod' >kml.yaml
expect 2 "$KML" list
contains "$err" "context: selects the context prod"
echo '{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: m, image: "i:1"}]}}' >pod.yaml
expect 2 "$KML" submit --dry-run -f pod.yaml
contains "$err" "context: selects the context prod"
expect 0 "$KML" config view --origin
contains "$out" "prod"
# Tests all settings at once, and from a subfolder.
refused $'secrets: [TOKEN]\ncode: ..\nimage: img:1' "kml.yaml:1:11 secrets"
contains "$err" "kml.yaml:2:7 code"
[[ "$err" != *image* ]] || fail "an image needs no trust: $err"
mkdir below
cd below
expect 2 "$KML" submit --dry-run -- true
contains "$err" "../kml.yaml:1:11 secrets"
cd ..

# Flags and variables from the user need no trust.
echo 'context: prod' >kml.yaml
expect 0 "$KML" --context local submit --dry-run -- true
KML_CONTEXT=local expect 0 "$KML" submit --dry-run --secret TOKEN -- true
echo 'code: ..' >kml.yaml
expect 0 "$KML" submit --dry-run --code below/.. -- true

# Settings from kml.yaml are printed, except those that a flag overrides.
printf 'image: img:1\nqueue: team-a\nenv: {OMP_NUM_THREADS: 2}\n' >kml.yaml
expect 0 "$KML" submit --dry-run -- true
contains "$err" "kml: kml.yaml sets image, queue, env"
expect 0 "$KML" submit --dry-run --image img:2 -- true
contains "$err" "kml: kml.yaml sets queue, env"

# Trust applies to a path with its content.
printf 'secrets: [TOKEN]\n' >kml.yaml
expect 0 "$KML" trust
contains "$out" "$PWD/kml.yaml trusted"
[ "$(stat -c %a "$XDG_STATE_HOME/kml/trusted")" = 600 ] || fail "others can read the records"
expect 0 "$KML" submit --dry-run -- true
contains "$err" "kml: kml.yaml sets secrets"
expect 0 "$KML" trust --list
contains "$out" "$PWD/kml.yaml  trusted"
printf 'secrets: [TOKEN, HOME]\n' >kml.yaml
expect 2 "$KML" submit --dry-run -- true
contains "$err" "kml: error: kml.yaml has changed since you trusted it"
expect 0 "$KML" trust --list
contains "$out" "$PWD/kml.yaml  changed"
mkdir ../copy
printf 'secrets: [TOKEN]\n' | tee kml.yaml >../copy/kml.yaml
(cd ../copy && expect 2 "$KML" submit --dry-run -- true)
expect 0 "$KML" submit --dry-run -- true
expect 0 "$KML" trust --revoke below/..
expect 2 "$KML" submit --dry-run -- true
expect 2 "$KML" trust --revoke
expect 0 "$KML" trust ../copy
(cd ../copy && expect 0 "$KML" submit --dry-run -- true)
rm ../copy/kml.yaml
expect 0 "$KML" trust --list
contains "$out" "/copy/kml.yaml  gone"
rm kml.yaml
expect 2 "$KML" trust
contains "$err" "no kml.yaml in this folder or above it"

# A command that only reads uses the file's namespace without trust, and says so; a command that changes something does
# not use it.
echo 'namespace: theirs' >kml.yaml
expect 0 "$KML" list
contains "$err" "kml: kml.yaml sets namespace theirs"
contains "$err" "theirs"
for command in "delete x" "cancel x" "exec x -- true" "cp x:/a b" "run $SOURCE/examples/iris/pipeline.yaml"; do
  expect 2 "$KML" $command
  contains "$err" "namespace: selects the namespace theirs"
done
# kml.yaml may select the current context. Another context needs the user's trust before its plugin runs.
export KUBECONFIG=$work/kubeconfig
cat >"$KUBECONFIG" <<C
current-context: here
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users:
- {name: plain, user: {}}
- {name: plugin, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: touch, args: [$work/ran]}}}
contexts:
- {name: here, context: {cluster: c, user: plain}}
- {name: there, context: {cluster: c, user: plugin}}
C
echo 'context: here' >kml.yaml
expect 5 "$KML" list
for context in there nowhere; do
  echo "context: $context" >kml.yaml
  expect 2 "$KML" list
  contains "$err" "context: selects the context $context"
done
[ ! -e "$work/ran" ] || fail "the plugin ran"
unset KUBECONFIG

# A file that kml wrote itself is trusted until it changes. Another template in the folder is not trusted.
rm kml.yaml
expect 0 "$KML" config init --image img:1 --env A=b --secret TOKEN --gpus 1
contains "$out" "$PWD/kml.yaml written, and trusted until it changes"
expect 0 "$KML" submit --dry-run -- true
contains "$err" "kml: kml.yaml sets env, gpus, image, secrets"
expect 2 "$KML" config init
contains "$err" "this folder already has a kml.yaml"
echo 'template: ./templates/own.yaml' >>kml.yaml
expect 2 "$KML" submit --dry-run -- true
contains "$err" "has changed since you trusted it"
rm kml.yaml
expect 0 "$KML" config init --template ./templates/own.yaml
echo 'spec: {changed: true}' >templates/own.yaml
expect 2 "$KML" submit --dry-run -- true
contains "$err" "has changed since you trusted it"
# From a subfolder, kml uses the template that the user has reviewed.
mkdir -p below/templates
echo 'spec: {}' >below/templates/own.yaml
(cd below && expect 2 "$KML" submit --dry-run -- true)
rm kml.yaml

# Tests another user's file, and another user's link to the user's own file.
[ "$(id -u)" = 0 ] || exit 0
echo 'image: img:1' >kml.yaml
chown 12345 kml.yaml
for command in "submit --dry-run" list trust; do
  SUDO_UID='' expect 2 "$KML" $command
  contains "$err" "$PWD/kml.yaml belongs to another user"
  contains "$err" "its owner is user 12345"
done
SUDO_UID=12345 expect 0 "$KML" submit --dry-run -- true
chown 0 kml.yaml
mv kml.yaml own.yaml
ln -s own.yaml kml.yaml
expect 0 "$KML" submit --dry-run -- true
chown -h 12345 kml.yaml
SUDO_UID='' expect 2 "$KML" submit --dry-run -- true
# The user's own file in a closer folder takes precedence, as the message says.
cd below
touch kml.yaml
expect 0 "$KML" submit --dry-run -- true
