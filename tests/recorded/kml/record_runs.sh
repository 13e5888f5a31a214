#!/usr/bin/env bash
# Makes the folder `runs` beside this script with the program KML: record_runs.sh KML. The existing one is
# from version 0.1.0: runs of a pipeline with their artifacts, a schedule, the metrics and the GPU time of a
# deleted job.
set -euo pipefail
kml=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
home=/tmp/ana  # it is kept in annotations, as the environment is
if [ "${CLEAN:-}" = "" ]; then
  exec env -i CLEAN=1 PATH=/usr/bin:/bin HOME=$home USER=ana XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config bash "$0" "$kml"
fi
mkdir -p "$home/words"
cd "$home/words"
finish() {
  timeout 60 "$kml" local down --force >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap finish EXIT

cat >words.yaml <<'Y'
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: words}
spec:
  params: {least: {type: int, default: 2}}
  steps:
    make:
      command: [sh, -c, 'mkdir -p "$1"; echo one >"$1/a"; echo two >>"$1/a"; cp "$1/a" "$0"', "${out.text}", "${out.folder}"]
      outputs: {text: file, folder: folder}
    each:
      foreach: {kind: [a, b]}
      command: [sh, -c, 'echo "$0" >"$1"', "${item.kind}", "${out.letter}"]
      outputs: {letter: file}
    count:
      inputs: {text: make.text}
      command: [sh, -c, 'echo "lines=$(wc -l <"$0")"', "${in.text}"]
      outputs: {lines: {metric: lines}}
    publish:
      when: count.lines > params.least
      command: ["true"]
Y
timeout 60 "$kml" local up --fake-gpus 4
timeout 60 "$kml" run words.yaml --name first
timeout 60 "$kml" run words.yaml --name second -p least=1
timeout 60 "$kml" submit --name nightly --cron '0 3 * * *' --tz Europe/Berlin -- true
timeout 60 "$kml" submit --name loss --gpus 1 --wait -- sh -c 'echo epoch=1 loss=0.5; sleep 2; echo epoch=2 loss=0.25'
timeout 60 "$kml" runs note loss "a note"
timeout 60 "$kml" delete loss
timeout 60 "$kml" local down

rm -rf "$here/runs"
cp -r ../state/kml "$here/runs"
(cd "$here/runs/local" && rm -rf identity.json kubeconfig server.log ./*.lock socket* pods/*/commands)
find "$here/runs" -type f -size +0 | sort
