# A pipeline that came with a folder may describe work; what takes the user's secrets, files outside of its folder or the
# like is refused until the user has trusted the file, by its content. Nothing runs before, and no secret is written down.
. "$(dirname "$0")/lib.sh"
export TOKEN=t0ps3cret
mkdir project
cd project
: >code
pipeline() { # SETTINGS
  cat <<Y
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: strange}
spec:
  params: {where: {default: /etc}}
  defaults: {code: {paths: [code]}}
  steps:
    take:
      command: [sh, -c, 'echo "\$TOKEN" >>../ran']
      $1
Y
}
refused() { # SETTINGS TEXT
  pipeline "$1" >p.yaml
  for flags in "" --dry-run; do
    expect 2 "$KML" run p.yaml $flags
    contains "$err" "p.yaml is not trusted"
    contains "$err" "$2"
    contains "$err" "kml trust p.yaml"
  done
}
refused 'secrets: [TOKEN]' "sends your environment variable TOKEN"
refused 'mounts: ["host/etc:/e"]' "mounts a folder of the machine"
# Also where a parameter names it.
refused 'mounts: ["host${params.where}:/e"]' "mounts a folder of the machine"
refused 'env-from: [theirs]' "uses the secret theirs"
# To a cluster no file of elsewhere is sent, nor what another run made.
cat >kubeconfig <<'Y'
apiVersion: v1
kind: Config
current-context: there
contexts: [{name: there, context: {cluster: there, user: me}}]
clusters: [{name: there, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: me, user: {}}]
Y
: >../key
ln -s ../key link
for input in '{path: ../key}' '{path: link}' '{artifact: mine}'; do
  pipeline "inputs: {key: $input}" >p.yaml
  expect 2 "$KML" --kubeconfig kubeconfig --context there run p.yaml
  contains "$err" "p.yaml is not trusted"
  contains "$err" "steps.take.inputs.key: sends"
done
[ ! -e ../ran ] || fail "it ran"
expect 0 "$KML" run list -o name
[ -z "$out" ] || fail "a run was begun: $out"

pipeline 'secrets: [TOKEN]' >p.yaml
expect 0 "$KML" trust p.yaml
contains "$out" "p.yaml trusted"
expect 0 "$KML" run p.yaml
[ "$(cat ../ran)" = t0ps3cret ] || fail "the step got: $(cat ../ran)"
run=$("$KML" run list -o name)
! grep -rl t0ps3cret "$XDG_STATE_HOME/kml/runs" "$XDG_STATE_HOME/kml/artifacts" || fail "the secret was written down"
# Another value of it, or another one: the step's result is the same.
expect 0 "$KML" run p.yaml
contains "$out" "take cached"
# Changed, it has to be looked at again; a run that was begun before goes on with what was trusted then.
pipeline 'secrets: [TOKEN, HOME]' >p.yaml
expect 2 "$KML" run p.yaml
contains "$err" "p.yaml has changed since you trusted it"
expect 0 "$KML" run resume "$run"
# What needs no trust runs without.
pipeline 'env: {A: b}' >p.yaml
expect 0 "$KML" run p.yaml
