# For words of Slurm, kubectl and the shell, kml names its own command.
. "$(dirname "$0")/lib.sh"
hint() { # FIX WORDS...
  local fix=$1
  shift
  expect 2 "$KML" "$@"
  contains "$err" "unknown command \"$1\""
  grep -qFx "  fix: $fix" <<<"$err" || fail "not \"fix: $fix\": $err"
}
hint "kml list" ls
hint "kml queue" ps
hint "kml list" get jobs
hint "kml list pvc" get pvc
hint "kml eff bert" seff bert
hint "kml status bert" describe job bert
hint "kml status JOB" describe
# kml run is for pipelines.
expect 2 "$KML" run python train.py
contains "$err" "kml submit -- python train.py"
expect 2 "$KML" run --gpus 1 python
contains "$err" "kml submit -- CMD…"
hint "kml queue" squeue -u ana
hint "kml submit -- train.sh" sbatch train.sh
hint "kml cancel bert" scancel bert
hint "kml submit --follow -- hostname" srun hostname
# Only in the place of a command.
expect 2 "$KML" sweep ls
contains "$err" 'unknown command "sweep ls"'
expect 2 "$KML" lst
contains "$err" 'did you mean "list"'
