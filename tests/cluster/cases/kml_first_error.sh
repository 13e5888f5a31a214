. "$(dirname "$0")/lib.sh"
# Gangs of eight whose culprit is named among victims, though the Job controller deletes most of the failed pods; and
# afterwards nobody is blamed in its place.
"$SOURCE/tests/soak/first_error" real --gangs 4
"$SOURCE/tests/soak/first_error" real --gangs 4 --late
