#!/bin/sh
# Prints a C++ program that holds each ```cpp block of the documents named, in a function of its own; a block that
# includes something is left out (a whole program). main runs them all over one runtime.
echo '#include <algorithm>'
echo '#include <cstdint>'
echo '#include <iostream>'
echo '#include <vector>'
echo '#include <pilum/pilum.h>'
echo 'namespace np = pilum::numeric;'
echo 'using np::all, np::slice, np::newaxis, np::ellipsis;'
awk '
  /^```cpp/ { block = ""; inside = 1; line = FNR; next }
  /^```/ && inside {
    inside = 0
    if (block ~ /#include/) next
    count++
    printf "#line %d \"%s\"\nstatic void example_%d() {\n%s}\n", line, FILENAME, count, block
    next
  }
  inside { block = block $0 "\n" }
  END {
    print "int main() {\n  pilum::Runtime runtime;"
    for (k = 1; k <= count; k++) printf "  example_%d();\n", k
    print "}"
  }
' "$@"
