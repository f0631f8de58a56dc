#!/usr/bin/env bash
# Whether clang-tidy finds something (.clang-tidy says what it looks for):
#   tidy.sh                 in what was changed last, and in a share of all sources, another one with each commit
#   tidy.sh --since COMMIT  in what differs from it
#   tidy.sh --all           in every source
#   tidy.sh FILE...         in these files and folders
# Needs build/compile_commands.json (cmake --preset release) and what the build generates. The checks of other versions
# differ, so it is version 19 or none: then the exit status is 77, "skipped".
set -euo pipefail
wanted=19

tidy=""
for program in "${CLANG_TIDY:-}" clang-tidy-$wanted clang-tidy; do
  [[ -n $program && $("$program" --version 2> /dev/null) =~ version\ $wanted\. ]] && tidy=$program && break
done
if [[ -z $tidy ]] || ! command -v python3 > /dev/null; then
  echo "there is no clang-tidy $wanted, or no Python 3: install clang-tidy-$wanted, or pip install clang-tidy==19.1.0"
  exit 77
fi
exec python3 -B "$(dirname "$(readlink -f "$0")")/tidy.py" --program "$tidy" "$@"
