#!/usr/bin/env bash
# run_case.sh CASES NAME: runs one case of a table of user's mistakes and judges the answer.
#
# A case is a heading (#name) and lines "key: value":
#   run:     the command, as a shell line; programs are looked up in bin/ and apps/ of the working folder
#   expect:  an extended regular expression that standard error or output must show; may be repeated
#   forbid:  one that neither may show; may be repeated
#   lines:   at most so many lines of standard error (default 6)
#   status:  the exit status, where it is another (128 + the signal that ended a rank)
#   within:  seconds (default 20)
# Always: the exit status is 1 to 127 (no signal, no success), and there is no banner of a launcher, no stack trace and
# no internal error.
set -u

cases=$1 name=$2
run='' wanted_status='' within=20 lines=6
expect=() forbid=(
  '^-{20}' 'mpirun (noticed|detected|has)' 'PMIX ERROR' '^\[[^ ]+:[0-9]+\] ' 'Primary job' 'MPI_ABORT'
  'terminate called' 'what\(\):' 'Segmentation fault' '[Bb]acktrace' '==== ' 'internal error' '^ *#[0-9]+ +0x')
found=false
while IFS= read -r line; do
  case $line in
    "#$name") found=true ;;
    '#'*) $found && break ;;
    'run: '*) $found && run=${line#run: } ;;
    'expect: '*) $found && expect+=("${line#expect: }") ;;
    'forbid: '*) $found && forbid+=("${line#forbid: }") ;;
    'lines: '*) $found && lines=${line#lines: } ;;
    'status: '*) $found && wanted_status=${line#status: } ;;
    'within: '*) $found && within=${line#within: } ;;
  esac
done < "$cases"
[[ $run && ${#expect[@]} -gt 0 ]] || { echo "no case $name with run: and expect: in $cases"; exit 1; }

text=$(mktemp) errors=$(mktemp)
trap 'rm -f "$text" "$errors"' EXIT
PATH=$PWD/bin:$PWD/apps:$PATH timeout -k 2 "$within" bash -c "$run" > "$text" 2> "$errors" < /dev/null
status=$?
cat "$errors" >> "$text"

faults=0
fault() { echo "FAULT: $*"; faults=$((faults + 1)); }
((status == 0)) && fault 'it succeeded'
((status == 124)) && fault "it took more than $within s"
if [[ $wanted_status ]]; then
  ((status == wanted_status)) || fault "the exit status is $status, not $wanted_status"
elif ((status > 127)); then
  fault "it died of a signal (status $status)"
fi
for pattern in "${expect[@]}"; do grep -qE -- "$pattern" "$text" || fault "not said: $pattern"; done
for pattern in "${forbid[@]}"; do grep -qE -- "$pattern" "$text" && fault "forbidden: $pattern"; done
told=$(grep -vc '^plaunch: running as root' "$errors")
((told <= lines)) || fault "$told lines of standard error, $lines are enough"
if ((faults)); then
  echo "\$ $run"
  cat "$text"
  echo "(exit status $status)"
fi
exit $((faults > 0))
