"""declared.py LIBRARY HEADERS CLANG [CODE]: LIBRARY shows every function that HEADERS declare and do not define.

By overload: clang tells the symbol of each. Exits with 77 where CLANG is none. CODE is read as if it stood in one more
header."""
import json
import pathlib
import shutil
import subprocess
import sys

FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
NOT_SEARCHED = {"ClassTemplateDecl", "FunctionTemplateDecl", "ClassTemplateSpecializationDecl", "FriendDecl",
                "ClassTemplatePartialSpecializationDecl", "VarTemplateDecl"}
NO_SYMBOL = ("isImplicit", "inline", "pure", "explicitlyDeleted", "explicitlyDefaulted", "constexpr")


def collect(node, access, declared, defined):
    """The symbols of a declaration's functions, with their places. Private ones count where they are marked."""
    kind = node.get("kind")
    inner = node.get("inner", [])
    if kind in NOT_SEARCHED:
        return
    if kind in FUNCTIONS:
        symbol = node.get("mangledName")
        marked = any(part.get("kind") == "VisibilityAttr" for part in inner)
        if any(part.get("kind") == "CompoundStmt" for part in inner) or any(node.get(word) for word in NO_SYMBOL):
            defined.add(symbol)
        elif access == "public" or marked:
            declared[symbol] = node["name"] + " " + node["type"]["qualType"]
        return
    inside = "private" if node.get("tagUsed") == "class" else "public"
    for part in inner:
        if part.get("kind") == "AccessSpecDecl":
            inside = part["access"]
        collect(part, inside, declared, defined)


def declarations(text, headers, clang):
    """What clang finds in namespace pilum, and of the functions for C."""
    command = [clang, "-std=c++20", "-x", "c++", f"-I{headers.parent}", "-fsyntax-only", "-Xclang", "-ast-dump=json",
               "-Xclang", "-ast-dump-filter=pilum", "-"]
    answer = subprocess.run(command, input=text, check=False, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(answer.stderr)
    decoder, at, nodes = json.JSONDecoder(), 0, []
    while (at := answer.stdout.find("{", at)) >= 0:
        node, at = decoder.raw_decode(answer.stdout, at)
        nodes.append(node)
    return nodes


def main(library, folder, clang, more=""):
    if not shutil.which(clang):
        print(f"skipped: there is no {clang}")
        sys.exit(77)
    headers = pathlib.Path(folder)
    # What programs include. pilum/mpi.h takes MPI's own header.
    names = sorted(header.name for header in headers.glob("*.h") if header.name != "mpi.h")
    text = "".join(f'#include "pilum/{name}"\n' for name in names) + more
    declared, defined = {}, set()
    for node in declarations(text, headers, clang):
        collect(node, "public", declared, defined)
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    shown = {line.split(" ", 2)[2] for line in listed.splitlines()}
    wanted = {symbol: what for symbol, what in declared.items() if symbol not in defined}
    missing = sorted(f"declared, and not shown: {what} ({symbol})" for symbol, what in wanted.items()
                     if symbol not in shown)
    print(f"{len(wanted)} functions are declared, {len(missing)} of them are not shown")
    if missing or len(wanted) < 500:
        sys.exit("\n".join(missing) or "that is fewer than there are: does clang see the headers?")


main(*sys.argv[1:])
