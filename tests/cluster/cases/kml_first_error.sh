. "$(dirname "$0")/lib.sh"
# In gangs of eight, the pod that failed first is named, although the Job controller deletes most of the failed pods.
# Afterwards, no other pod is blamed instead.
"$SOURCE/tests/soak/first_error" real --gangs 4
"$SOURCE/tests/soak/first_error" real --gangs 4 --late
