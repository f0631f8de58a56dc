#!/bin/sh
# same_grid.sh PLAUNCH JACOBI OTHER: both have the same grid, bit by bit, alone and on two ranks.
set -eu
plaunch=$1 jacobi=$2 other=$3
options='-n 75 -i 33 -w 3 --checksum'
checksum() { tr A-F a-f | sed -n 's/^[Cc]hecksum: //p'; }
expected=$("$jacobi" $options | checksum)
[ ${#expected} -eq 16 ] || { echo "jacobi says no checksum"; exit 1; }
alone=$("$other" $options | checksum)
ranks=$(PILUM_CPUS=1 PILUM_OVERSUBSCRIBE=1 "$plaunch" --ranks-per-node 2 "$other" $options | checksum)
echo "$expected $alone $ranks"
[ "$alone" = "$expected" ] && [ "$ranks" = "$expected" ]
