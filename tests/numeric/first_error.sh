#!/usr/bin/env bash
# first_error.sh CASES NAME INCLUDES compiler...: compiles one case of a table of user's mistakes and judges the answer.
#
# A case is a heading (#name) and lines "key: value":
#   code:  a program's text behind #include <pilum/pilum.h> and `namespace np = pilum::numeric`; it must not compile
#   says:  what the first line that has "error:" in it must contain, word for word
# Errors are few, too: a reader finds the first one.
set -u

cases=$1 name=$2 includes=$3
shift 3
code='' says='' lines=24
found=false
while IFS= read -r line; do
  case $line in
    "#$name") found=true ;;
    '#'*) $found && break ;;
    'code: '*) $found && code=${line#code: } ;;
    'says: '*) $found && says=${line#says: } ;;
  esac
done < "$cases"
[[ $code && $says ]] || { echo "no case $name with code: and says: in $cases"; exit 1; }

program=$(printf '#include <pilum/pilum.h>\n#include <vector>\nnamespace np = pilum::numeric;\n%s\n' "$code")
if answer=$(LC_ALL=C "$@" -std=c++20 -fsyntax-only -I"$includes" -x c++ - <<< "$program" 2>&1); then
  echo "FAULT: it compiles"
  exit 1
fi
first=$(grep -m1 'error:' <<< "$answer")
faults=0
[[ $first == *"$says"* ]] || { echo "FAULT: the first error does not say: $says"; faults=1; }
told=$(wc -l <<< "$answer")
((told <= lines)) || { echo "FAULT: $told lines, $lines are enough"; faults=1; }
if ((faults)); then echo "$answer"; fi
exit $faults
