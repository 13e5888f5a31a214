# If kml runs as a kubectl plugin, its help says `kubectl kml`, as the user types it.
. "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$KML" bin/kubectl-kml
PATH=$PWD/bin:$PATH expect 0 kubectl kml cancel --help
contains "$out" "Usage: kubectl kml cancel [flags]"
PATH=$PWD/bin:$PATH expect 0 kubectl kml help
contains "$out" "Usage: kubectl kml COMMAND"
contains "$out" '`kubectl kml COMMAND --help`'
expect 0 "$KML" help
contains "$out" "Usage: kml COMMAND"
