# A job does not wait for git, which may be slow. If its record cannot be written, the job is still reported.
. "$(dirname "$0")/lib.sh"
mkdir .git bin
echo c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00 >.git/HEAD
runs=$XDG_STATE_HOME/kml/runs.jsonl
cat >bin/git <<EOF
#!/bin/sh
until "$KML" list -o name | grep -q "\$AWAITED"; do sleep 0.05; done
[ -z "\$BREAK" ] || until [ -d "$runs" ]; do rm -f "$runs"; mkdir -p "$runs"; done
EOF
chmod +x bin/git
export PATH=$work/bin:$PATH
expect 0 "$KML" local up
AWAITED=first expect 0 "$KML" submit --name first -- true
expect 0 "$KML" history
contains "$out" "c0ffee00"
AWAITED=second BREAK=yes expect 0 "$KML" submit --name second -- true
contains "$out" "job second submitted"
contains "$err" "the record of this submission is incomplete: cannot write $runs"
