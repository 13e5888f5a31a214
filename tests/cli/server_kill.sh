# Some of the random kills of tests/soak/server_kill: nothing is lost, runs twice or is left behind.
source "$(dirname "$0")/lib.sh"
python3 "$SOURCE/tests/soak/server_kill" --kml "$KML" --kills 5
