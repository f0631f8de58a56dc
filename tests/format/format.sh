#!/usr/bin/env bash
# Whether every source is as .clang-format says: format.sh; format.sh --fix makes it so.
# Other versions of clang-format break lines elsewhere, so it is version 19 or none: then the exit status is 77, "skipped".
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
wanted=19

formatter=""
for program in "${CLANG_FORMAT:-}" clang-format-$wanted clang-format; do
  [[ -n $program && $("$program" --version 2> /dev/null) =~ version\ $wanted\. ]] && formatter=$program && break
done
if [[ -z $formatter ]]; then
  echo "there is no clang-format $wanted: install clang-format-$wanted, or pip install clang-format==19.1.7"
  exit 77
fi

sources() {
  find apps include launcher numeric partitioner runtime scheduler tests -name '*.h' -o -name '*.cc' -o -name '*.cu' | sort |
    grep -v '/fortran/.*\.h$' |  # included by Fortran
    xargs grep -L 'Written by .*generate\.py'  # a test of theirs compares them with what it writes
}

if [[ ${1:-} == --fix ]]; then
  sources | xargs "$formatter" -i
elif ! sources | xargs -n 40 -P 2 "$formatter" --dry-run --Werror 2> /dev/null; then
  echo "not as .clang-format says; tests/format/format.sh --fix mends them:"
  sources | while read -r file; do "$formatter" "$file" | cmp -s - "$file" || echo "  $file"; done
  exit 1
fi
echo "$(sources | wc -l) files, $("$formatter" --version)"
