. "$(dirname "$0")/lib.sh"
# Schedules of pipelines on a cluster: the job of each start is the engine of a run. Runs are started by hand,
# on schedule, and for each commit, and continue after their pod was killed. Unchanged steps do not run again;
# the run is deleted with its job.
kml() { timeout 1000 "$KML" "$@"; }
need_engine_image
need_volume runs ReadWriteMany
mkdir -p here/lib && cd here
echo '{image: "localhost/busybox:1", node-selector: {kubernetes.io/hostname: node1}}' >kml.yaml
kml trust >/dev/null 2>&1
echo 'cat words.txt >"$1"' >lib/load.sh
echo one >lib/words.txt
cat >pipeline.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: nightly}
spec:
  params: {who: {default: ana}}
  steps:
    load:
      code: lib
      command: [sh, load.sh, '${out.data}']
      outputs: {data: dataset}
    report:
      inputs: {data: load.data}
      command: [sh, -c, 'echo "${params.who} ${run.scheduled} $(cat ${in.data})"; sleep 2']
Y
there=(--in-cluster --engine-image "$image" --store pvc/runs)
expect 2 kml run pipeline.yaml --cron '0 3 1 1 *'
contains "$err" "need --in-cluster"
expect 0 kml run pipeline.yaml --cron '0 3 1 1 *' --tz UTC -p who=ben "${there[@]}"
contains "$out" "schedule nightly created"
contains "$err" "first start: 20"
expect 1 kml run pipeline.yaml --cron '0 3 1 1 *' "${there[@]}"
contains "$err" "already exists"
cd .. && mv here elsewhere # from here on, the runs need neither files nor state of this machine
export XDG_STATE_HOME=$work/other-state

# A user starts a run by hand. Its pod is killed while the second step runs, and the next pod continues.
expect 0 kml schedule run-now nightly
run=$(sed -n 's/^job \(nightly-[a-z0-9]*\) started$/\1/p' <<<"$out")
begun() { [ -n "$(k get pods -l "kml.dev/run=$run,kml.dev/step=report" -o name)" ]; }
eventually begun
k delete pod -l "job-name=$run" --field-selector status.phase=Running --force --grace-period=0 >/dev/null 2>&1 || true
expect 0 kml wait "$run"
expect 0 kml run status "$run"
contains "$out" "$run  succeeded"
expect 0 kml run logs "$run" report
[[ "$out" =~ ben\ 20[0-9-]+T[0-9:]+Z\ one ]] || fail "$out"
expect 0 kml run logs "$run" --engine
contains "$out" "report done"
[ "$(k get jobs -l "kml.dev/run=$run" -o name | wc -l)" = 2 ] || fail "$(k get jobs)"

# A run starts on schedule, only once: the time in the step is the scheduled one, and the first step does not run again.
cd elsewhere
later() { kml run pipeline.yaml --name later --at "$1" --tz UTC -p who=eva "${there[@]}"; }
soon() { later +20s || later +200s; } # on a slow machine, twenty seconds can be over before the schedule is there
expect 0 soon
at=$(sed -n 's/.*starts once: \([^ ]*\) \(.*\) (UTC).*/\1T\2:00Z/p' <<<"$err")
job_of_clock() { k get jobs -l kml.dev/schedule=later -o 'jsonpath={.items[*].metadata.name}'; }
by_clock() { [ -n "$(job_of_clock)" ]; }
eventually by_clock
expect 0 kml wait "$(job_of_clock)"
expect 0 kml run status "$(job_of_clock)"
contains "$out" "cached"
expect 0 kml run logs "$(job_of_clock)" report
contains "$out" "eva $at one"
expect 0 kml schedule list
[[ "$out" =~ later\ +once\ +UTC\ +- ]] || fail "$out"

# A run starts for each commit of a branch, only once, whichever process checks. The repository needs a password, which
# only a Secret has.
cd ..
git_server=$(cat <<'P'
import base64, http.server, os, subprocess, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"ana:sesame").decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            return self.end_headers()
        path, _, query = self.path.partition("?")
        of_request = {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command, "GIT_HTTP_EXPORT_ALL": "1",
                      "GIT_PROJECT_ROOT": sys.argv[1], "REMOTE_USER": "ana", "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                      "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = subprocess.run(["git", "http-backend"], input=body, env=os.environ | of_request, stdout=subprocess.PIPE).stdout
        self.wfile.write(b"HTTP/1.0 200 OK\r\n" + answer)
    do_POST = do_GET
P
)
git config --global user.name Ana
git config --global user.email ana@example.org
git init -q --bare "$volume/bert.git"
git init -q -b main clone
cp -r elsewhere/{lib,kml.yaml,pipeline.yaml} clone
serve_http "$git_server" "$volume"
branch=http://$server/bert.git#main
k create secret generic git --from-literal=username=ana --from-literal=password=sesame >/dev/null
commit() { # WORD: sets $run
  echo "$1" >clone/lib/words.txt
  git -C clone add . && git -C clone commit -qm "$1" && git -C clone push -q "$volume/bert.git" HEAD:main
  run=commits-$(git -C clone rev-parse --short=12 HEAD)
}
commit four
expect 2 kml schedule git "$branch" -f pipeline.yaml
contains "$err" "needs --in-cluster"
expect 2 kml schedule git "$volume/bert.git#main" -f pipeline.yaml "${there[@]}"
contains "$err" "the cluster cannot read $volume/bert.git"
look_on_node1() { # SCHEDULE: its pods have no volume, so simulated nodes would do
  k patch cronjob "$1" --type=merge -p '{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/hostname":"node1"}}}}}}}' >/dev/null
}
expect 0 kml schedule git "$branch" -f pipeline.yaml --name no-git --every 1d "${there[@]}"
look_on_node1 no-git
expect 3 kml schedule run-now no-git --wait
expect 0 kml logs "$(sed -n 's/^job \(.*\) started$/\1/p' <<<"$out")"
contains "$out" "git is not installed"
expect 0 kml schedule delete no-git
"$SOURCE/examples/engine-image" --git "$work/kml-git.tar" "$KML" >/dev/null
cluster image "$work/kml-git.tar"
there[2]=${image/kml/kml-git}
expect 0 kml schedule git "$branch" -f pipeline.yaml --name commits --every 1d -p who=gil --git-secret git "${there[@]}"
contains "$out" "schedule commits created"
look_on_node1 commits
kml schedule run-now commits --wait >first 2>&1 & first=$!
kml schedule run-now commits --wait >second 2>&1 & second=$!
wait $first || fail "$(cat first; kml logs "$(sed -n 's/^job \(.*\) started$/\1/p' first)" 2>&1)"
wait $second || fail "$(cat second; kml logs "$(sed -n 's/^job \(.*\) started$/\1/p' second)" 2>&1)"
expect 0 kml wait "$run"
expect 0 kml run status "$run"
contains "$out" "$run  succeeded"
expect 0 kml run logs "$run" report
[[ "$out" =~ gil\ .*\ four ]] || fail "$out"
expect 0 kml runs --where "name == \"$run\"" -o 'jsonpath={[0].state} {[0].facts.commit}'
[ "$out" = "Succeeded $(git -C clone rev-parse HEAD)" ] || fail "$out"
[ "$(k get jobs -l kml.dev/schedule=commits,kml.dev/run-engine -o name)" = "job.batch/$run" ] || fail "$(k get jobs --show-labels)"
git -C clone rm -q pipeline.yaml
commit five
expect 0 kml schedule run-now commits --wait
expect 3 kml wait "$run"
expect 0 kml logs "$run"
contains "$out" "has no file pipeline.yaml"
cd elsewhere

# Deleting the schedule deletes its runs, but neither the jobs of their steps nor the files on the volume.
expect 0 kml schedule delete nightly later commits
gone() {
  [ -z "$(k get cronjobs,configmaps,secrets,roles,rolebindings,serviceaccounts -o name | grep -e nightly -e later -e commits)" ] &&
    [ -z "$(k get jobs -l '!kml.dev/run' -o name)" ]
}
eventually gone
