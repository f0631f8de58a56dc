"""check_glossary.py ROOT GLOSSARY: the glossary has one line a word, in order, and every word is in use in the sources.

A word is in use if it stands in a source file, as an identifier, a part of one (MemoryPool, memory_pool) or in a comment.
"""
import pathlib
import re
import sys

FOLDERS = ["include", "runtime", "partitioner", "scheduler", "numeric", "launcher"]
ENTRY = re.compile(r"^- \*\*([^*]+)\*\*(?: \([^)]*\))?: \S.*[^.]$")
LONGEST = 200  # characters of a line


def words_in(text):
    """The text as plain words with a blank between and around them: identifiers taken apart, in lower case."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return " " + " ".join(re.findall(r"[a-z0-9]+", apart.lower())) + " "


def is_used(word, sources):
    """sources: what words_in gave. Plurals count."""
    plain = words_in(word).strip()
    return any(f" {form} " in sources for form in (plain, plain + "s", plain + "es"))


def faults_of(glossary, sources):
    faults, words = [], []
    for number, line in enumerate(glossary.splitlines(), start=1):
        if not line.startswith(("- ", "* ", "|")):
            if words and line.strip() and not line.startswith("#"):
                faults.append(f"line {number} belongs to no word: one line each")
            continue
        entry = ENTRY.match(line)
        if not entry:
            faults.append(f"line {number} does not read '- **word**: what it is', without a full stop")
            continue
        if len(line) > LONGEST:
            faults.append(f"line {number} has {len(line)} characters; {LONGEST} are enough")
        for word in entry[1].split(", "):
            words.append(word)
            if not is_used(word, sources):
                faults.append(f"'{word}' (line {number}) is used in no source: use it, or leave it out")
    faults += [f"'{word}' stands there twice" for word in sorted(set(words)) if words.count(word) > 1]
    return faults if words else faults + ["there is no word in it"]


def main():
    root = pathlib.Path(sys.argv[1])
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in (".h", ".cc", ".cu")]
    sources = words_in("\n".join(path.read_text() for path in files))
    faults = faults_of((root / sys.argv[2]).read_text(), sources)
    print(*faults, sep="\n")
    print(f"{len(files)} sources, {len(faults)} faults")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
