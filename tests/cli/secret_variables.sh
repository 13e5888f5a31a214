. "$(dirname "$0")/lib.sh"
# Two values, from the environment and from standard input, reach the job and are stored nowhere else.
export API_KEY=from-env-2f1b7c
piped=from-stdin-9d40ae
everywhere=$work/everywhere
seen() { "$@" >>"$everywhere" 2>&1 || fail "exit $?: $*"; }

seen "$KML" submit --secret API_KEY --dry-run -- true
seen "$KML" submit --secret API_KEY --dry-run=server -o yaml -- true
seen "$KML" submit --name uses --secret API_KEY --secret TOKEN=- -o yaml -- \
  bash -c 'echo "$API_KEY $TOKEN" >got; until [ -e go ]; do sleep 0.05; done' <<<"$piped"
eventually test -s got
[ "$(cat got)" = "$API_KEY $piped" ] || fail "the job got $(cat got)"
# Excludes the server's database, which contains the Secret itself.
kept() { find "$XDG_STATE_HOME" -type f ! -name '*.db*' ! -name '*.sqlite*' -print -exec cat {} + >>"$everywhere"; }
kept
for process in /proc/[0-9]*/cmdline; do { tr "\0" " " <"$process"; } 2>/dev/null || true; done >>"$everywhere"
seen "$KML" list -o yaml
seen "$KML" status uses
seen "$KML" history -o json
touch go
seen "$KML" wait uses
seen "$KML" history uses -o json
kept
contains "$(cat "$everywhere")" runs.jsonl
for value in "$API_KEY" "$piped"; do
  for form in "$value" "$(printf %s "$value" | base64)"; do
    ! grep -aF "$form" "$everywhere" || fail "a value is shown or kept"
  done
done

# There is a single Secret, which is deleted with the job.
secrets() { kubectl_local get secrets -o name | grep -c secret/kml- || true; }
kubectl_local() { KUBECONFIG=$XDG_STATE_HOME/kubeconfig kubectl "$@"; }
"$KML" local kubeconfig >"$XDG_STATE_HOME/kubeconfig"
[ "$(secrets)" = 1 ] || fail "$(secrets) secrets of one submit"
expect 0 "$KML" delete uses
no_secret() { [ "$(secrets)" = 0 ]; }
eventually no_secret
[ -z "$(ls "$XDG_STATE_HOME"/kml/submits)" ] || fail "a note was left"
