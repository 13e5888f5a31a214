# Sourced by every script in this folder. KML is the binary under test, SOURCE the checkout. Each script has its own
# home, state folder and embedded server, which are removed when it ends.
set -euo pipefail
work=$(mktemp -d)
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
unset KUBECONFIG KML_STATE_DIR KML_CONTEXT KML_NAMESPACE
mkdir -p "$HOME"
cd "$work"
finish() {
  local status=${1:-$?}
  timeout 300 "$KML" local down --force >/dev/null 2>&1 || true
  rm -rf "$work" "$work.tried"
  exit $status
}
trap finish EXIT
trap 'exit 141' PIPE # otherwise the trap of EXIT would see the status 0

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect CODE COMMAND...: runs the command, stores its output in $out and $err, and checks its exit code.
expect() {
  local want=$1 got=0
  shift
  "$@" >"$work/out" 2>"$work/err" || got=$?
  out=$(cat "$work/out") err=$(cat "$work/err")
  [ "$got" = "$want" ] || fail "exit $got, not $want: $*"$'\n'"$out"$'\n'"$err"
}

# contains TEXT PART: fails if TEXT does not contain PART.
contains() { [[ "$1" == *"$2"* ]] || fail "no \"$2\" in: $1"; }

# eventually COMMAND...: repeats the command until it succeeds, for at most $patience seconds. Between two
# tries, it pauses for a fifth of the time that it has waited, but at least .05 s and at most 2 s, because a
# try may take as much processor time as the work that it waits for.
patience=300
eventually() {
  local begun=${EPOCHREALTIME/[.,]/} waited pause
  until "$@" >"$work.tried" 2>&1; do
    waited=$((${EPOCHREALTIME/[.,]/} - begun)) # microseconds
    [ $waited -lt $((patience * 1000000)) ] || fail "never came true: $*"$'\n'"$(tail -n 20 "$work.tried")"
    pause=$((waited < 250000 ? 50000 : waited < 10000000 ? waited / 5 : 2000000))
    sleep "$((pause / 1000000)).$(printf %06d $((pause % 1000000)))"
  done
}

# Writes ./kubeconfig, whose context "there" is a cluster that does not answer.
kubeconfig_of_cluster() {
  cat >kubeconfig <<'Y'
apiVersion: v1
kind: Config
current-context: there
contexts: [{name: there, context: {cluster: there, user: me}}]
clusters: [{name: there, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: me, user: {}}]
Y
}
