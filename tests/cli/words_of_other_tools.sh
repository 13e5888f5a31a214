# For words of Slurm, kubectl and the shell, kml suggests its own command.
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
hint "kml local down" down
hint "kml why bert" events bert
hint "kml submit -- python train.py" launch python train.py
hint "kml rerun bert" retry bert
hint "kml suspend bert" hold bert
hint "kml resume bert" release bert
hint "kml cancel 12" qdel 12
hint "kml top nodes" gpus
hint "kml ui --web" dashboard
# Each suggested command exists.
for word in $(sed -n '/kForeignWords/,/^};/s/^    {"\([^"]*\)".*/\1/p' "$SOURCE/src/cli/foreign_words.cc"); do
  expect 2 "$KML" "$word"
  contains "$err" "unknown command \"$word\""
  fix=$(sed -n 's/^  fix: \(kml\( [a-z][a-z-]*\)*\).*/\1/p' <<<"$err")
  expect 0 "$KML" ${fix#kml } --help
  count=$((${count:-0} + 1))
done
[ "$count" -ge 60 ] || fail "only $count words"
# kml run is for pipelines.
expect 2 "$KML" run python train.py
contains "$err" "kml submit -- python train.py"
expect 2 "$KML" run --gpus 1 python
contains "$err" "kml submit -- CMD…"
expect 2 "$KML" run bert -- python train.py --lr 1
contains "$err" "to run a program: kml submit --name bert -- python train.py --lr 1"
expect 2 "$KML" run --gpus 1 bert -- python train.py
contains "$err" "to run a program: kml submit --gpus 1 --name bert -- python train.py"
# A flag of a subcommand is rejected if it stands before the subcommand's name.
expect 2 "$KML" top -o json
contains "$err" "flag -o comes before the command"
contains "$err" '"fix": "kml top nodes -o json"'
# The flag -p of other commands is a parameter of the template, so kml rejects it here.
expect 2 "$KML" sweep run lr -p lr=1,2 --minimize loss -- echo {args}
contains "$err" "for a parameter to try, use --param lr=1,2"
hint "kml queue" squeue -u ana
hint "kml submit -- train.sh" sbatch train.sh
hint "kml cancel bert" scancel bert
hint "kml submit --follow -- hostname" srun hostname
# Words are suggested only in place of a command.
expect 2 "$KML" sweep ls
contains "$err" 'unknown command "sweep ls"'
expect 2 "$KML" lst
contains "$err" 'did you mean "list"'
