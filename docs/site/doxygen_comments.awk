# Doxygen's input filter: our headers' plain comments, as Doxygen reads them.
#   a block of // lines     -> /** */; lines that are indented in it are code, or else a list
#   a comment behind code   -> ///<
#   one block above several declarations without a blank line between: a group that shares it
function flush_indented(    i, code, from, line, head) {
  for (i = 1; i <= indented; ++i) code = code || run[i] ~ /[;{}]$/
  if (indented) print code ? "\n@code{.cpp}" : ""
  for (i = 1; i <= indented; ++i) {
    if (code) { print run[i]; continue }
    match(run[i], /^ */)
    if (i == 1) depth = RLENGTH
    from = RLENGTH
    line = substr(run[i], from + 1)
    if (match(line, /^.*[^ ]  +/)) {  # what stands in the first column
      head = substr(line, 1, RLENGTH)
      sub(/ +$/, "", head)
      line = "`" head "`: " substr(line, RLENGTH + 1)
    }
    print (from > depth ? "  " : "- ") line
  }
  if (indented) print code ? "@endcode\n" : ""
  indented = 0
}
function flush_block(    i) {
  if (!count) return
  if (!first && $0 !~ /^[ ]*(class|struct|enum|template|namespace|concept|inline namespace|#|\/\/|public|private|$)/) {
    print indent "///@{"
    open = 1
  }
  print indent "/**" (first ? " @file" : "")
  for (i = 1; i <= count; ++i) {
    if (block[i] ~ /^   /) { run[++indented] = block[i]; continue }
    flush_indented()
    print indent block[i]
  }
  flush_indented()
  print indent "*/"
  count = 0
  first = 0
}
function close_group() { if (open) print indent "///@}"; open = 0 }
BEGIN { first = 1 }
/^[ ]*\/\// {
  match($0, /^[ ]*/); here = substr($0, 1, RLENGTH)
  if (!count) { close_group(); indent = here }
  line = $0; sub(/^[ ]*\/\//, "", line); block[++count] = line
  next
}
{
  flush_block()
  if ($0 ~ /^[ ]*$/ || $0 ~ /^[ ]*[}]/) close_group()
  if ($0 ~ /[;,{] *\/\/ / && $0 !~ /^[ ]*[}]/) sub(/ *\/\/ /, "  ///< ")
  print
}
END { flush_block(); close_group() }
