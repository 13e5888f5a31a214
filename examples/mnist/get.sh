# Copies MNIST into the folder TO: from /data, where a cluster mounts a volume that has it, or as get-mnist finds it.
# Usage: get.sh TO
to=$1
[ -e /data/train-images-idx3-ubyte ] || exec ../../trainer/get-mnist "$to"
mkdir -p "$to" && cp /data/*-ubyte "$to"
