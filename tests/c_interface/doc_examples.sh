#!/bin/sh
# doc_examples.sh c|fortran DOCUMENT: a program that holds each block of that language in a function of its own; a block
# that is functions stands as it is.
language=$1
[ "$language" = c ] && printf '#include <pilum/c.h>\n#include <stdio.h>\n'
awk -v language="$language" '
  $0 == "```" language { block = ""; inside = 1; line = FNR; next }
  /^```/ && inside {
    inside = 0
    if (language == "c") {
      where = sprintf("#line %d \"%s\"\n", line + 1, FILENAME)
      if (block ~ /^static/) { printf "%s%s", where, block; next }
      count++
      printf "static void example_%d(void) {\n%s%s}\n", count, where, block
    } else if (block ~ /^(function|subroutine)/) {
      procedures = procedures block
    } else {
      count++
      blocks = blocks sprintf("subroutine example_%d()\n%send subroutine\n", count, block)
    }
    next
  }
  inside { block = block $0 "\n" }
  END {
    if (language == "c") {
      print "int main(int argc, char** argv) {\n  pilum_runtime runtime;"
      print "  PILUM_TRY(pilum_runtime_create(argc, argv, &runtime));"
      for (k = 1; k <= count; k++) printf "  example_%d();\n", k
      print "  PILUM_TRY(pilum_runtime_destroy(&runtime));\n  return pilum_live_arrays() != 0;\n}"
    } else {
      print "#include \"pilum_lines.h\"\nmodule procedures\nuse, intrinsic :: iso_fortran_env\nuse pilum"
      print "implicit none\ncontains"
      print procedures "end module"
      print "program examples\nuse procedures\nimplicit none"
      print "type(pilum_runtime) :: runtime\ncall pilum_runtime_create(runtime)"
      for (k = 1; k <= count; k++) printf "call example_%d()\n", k
      print "if (pilum_live_arrays() /= 0) error stop\ncall pilum_runtime_destroy(runtime)\ncontains"
      print blocks "end program"
    }
  }' "$2"
