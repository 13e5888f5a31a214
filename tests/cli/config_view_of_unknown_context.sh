# The settings can be viewed even if their context does not exist.
. "$(dirname "$0")/lib.sh"
printf 'context: prod\nnamespace: research\nimage: registry.example/bert:3\n' >kml.yaml
expect 0 "$KML" config view --origin
contains "$out" "prod"
contains "$out" "kml.yaml:1"
rm kml.yaml
# The contexts can also be viewed, even if the current one is stale, not set, or unusable. In these cases, no context
# has the star.
of() { # CURRENT USER
  cat >kubeconfig <<C
current-context: "$1"
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {$2}}]
contexts: [{name: one, context: {cluster: c, user: u}}, {name: two, context: {cluster: gone}}]
C
  export KUBECONFIG=$PWD/kubeconfig
}
check() { # WARNING
  expect 0 "$KML" config contexts
  [ "$out" = $'  one\n  two\n  local' ] || [ "$out" = $'  two\n  one\n  local' ] || fail "contexts: $out"
  contains "$err" "warning: "
  contains "$err" "$1"
  expect 0 "$KML" config view
  contains "$err" "$1"
  expect 0 "$KML" __complete -- list --context ''
  contains "$out" one
  contains "$out" two
  expect 1 "$KML" doctor
  contains "$out" "$1"
}
of gone "token: t"
check 'no context "gone"'
of "" "token: t"
check "no current context"
of two "token: t"
check 'no cluster "gone"'
of one "client-key: /none"
check "cannot read /none"
of one "token: t"
expect 0 "$KML" config contexts
contains "$out" "* one"
