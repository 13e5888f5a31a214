# Sourced by each case: the helpers of tests/cluster/cases, a cluster with a real controller, and the rows of the table
# that tests/operators/run prints. A row that is not ok does not end the case.
. "$(dirname "${BASH_SOURCE[0]}")/../cluster/cases/lib.sh"
patience=${PATIENCE:-120}
rows=${ROWS:-/dev/stdout}
kinds=pods,jobs  # what is recorded where kml is wrong

row() { # WHAT TRUTH SAID ok|NO
  printf '%s\t%s\t%s\t%s\n' "${namespace}: $1" "$2" "$(tr -s '\n\t' '  ' <<<"${3:-(nothing)}")" "$4" >>"$rows"
  if [ "$4" = NO ] && [ -n "${RECORDED:-}" ]; then
    mkdir -p "$RECORDED"
    k get "$kinds" -o json | python3 -c 'import json, sys
objects = json.load(sys.stdin)
for one in objects["items"]: one["metadata"].pop("managedFields", None)
json.dump(objects, sys.stdout, indent=1)' >"$RECORDED/$namespace-$(tr -cs a-zA-Z0-9 - <<<"$1" | sed 's/-*$//').json" || true
  fi
}
# check WHAT TRUTH SAID: prints a row, ok if SAID, the output of kml, equals TRUTH.
check() { row "$1" "$2" "$3" "$([ "$2" = "$3" ] && echo ok || echo NO)"; }
# check_says WHAT TRUTH REGEX SAID: prints a row, ok if SAID, the output of kml, matches REGEX.
check_says() { row "$1" "$2" "$4" "$(tr '\n' ' ' <<<"$4" | sed 's/ $//' | grep -Eqe "$3" && echo ok || echo NO)"; }
# check_runs WHAT CODE COMMAND...: prints a row, ok if the command exits with CODE; its output is in $said.
check_runs() {
  local what=$1 code=$2 got=0; shift 2
  said=$(timeout "$patience" "$@" 2>&1) || got=$?
  row "$what" "exit code $code" "exit code $got$([ $got = "$code" ] || echo ": $said")" "$([ $got = "$code" ] && echo ok || echo NO)"
}

# listed NAME: prints the job's state, pods and GPUs in `kml list`.
listed() { { "$KML" list --no-headers 2>&1 || true; } | awk -v name="$1" '{ split($1, part, "/"); if ($1 == name || part[2] == name) print $2, $3, $4 }'; }
# run_time NAME: prints "yes" if `kml list` shows a run time.
run_time() { { "$KML" list --no-headers 2>&1 || true; } | awk -v name="$1" '{ split($1, part, "/"); if ($1 == name || part[2] == name) print ($7 == "-" ? "no" : "yes") }'; }
say() { "$KML" "$@" 2>&1 || true; }
# phases LABEL=VALUE: prints how many pods are in each phase, "2 Running".
phases() { k get pods -l "$1" --no-headers -o custom-columns=:.status.phase | sort | uniq -c | xargs; }
are() { [ "$(phases "$1")" = "$2" ]; } # LABEL=VALUE PHASES
# soon SECONDS COMMAND...: like eventually, but returns 1 instead of failing if the command never succeeds.
soon() { (trap - EXIT; patience=$1; eventually "${@:2}" 2>/dev/null); }
on_kwok=(--image localhost/busybox:1 --node-selector type=kwok)
