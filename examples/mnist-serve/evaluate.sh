# Asks the network for the digits of the first pictures of the test set, and counts the right answers.
# Usage: evaluate.sh MODEL DATA COUNT
set -eu
picture=$(mktemp)
right=0 i=0
while [ $i -lt "$3" ]; do
  tail -c +$((17 + 784 * i)) "$2/t10k-images-idx3-ubyte" | head -c 784 >"$picture" # 16 bytes of header, 28 x 28 each
  label=$(tail -c +$((9 + i)) "$2/t10k-labels-idx1-ubyte" | head -c 1 | od -An -tu1)
  answer=$(kml-trainer --checkpoint-dir "$1" --predict "$picture")
  case $answer in "{\"class\":${label##* },"*) right=$((right + 1)) ;; esac
  i=$((i + 1))
done
rm "$picture"
echo "right=$right"
