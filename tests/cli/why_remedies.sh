# Once the jobs that `kml why` suggests cancelling are cancelled, the job starts before any other. Tests some
# states of the soak test.
. "$(dirname "$0")/lib.sh"
expect 0 "$SOURCE/tests/soak/why_remedies" --on embedded --states 5 --seed 11 --side-by-side 1
contains "$out" 'false: 0, '
