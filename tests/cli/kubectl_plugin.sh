# As a kubectl plugin, kml calls itself in help as the user does.
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
