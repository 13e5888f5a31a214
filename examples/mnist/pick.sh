# Copies the model with the highest accuracy. Usage: pick.sh TO MODEL... ACCURACY..., with an accuracy for each model.
to=$1 && shift
models=$(($# / 2))
best=$(i=0; for word in "$@"; do i=$((i + 1)); [ $i -le $models ] || echo "$word $((i - models))"; done | sort -rn | head -n 1)
echo "model ${best#* } is the best: accuracy ${best% *}"
eval "cp -r \"\${${best#* }}\" \"\$to\""
