"""check_links.py ROOT: every link between the repository's Markdown pages leads to a file, and to a heading that is there."""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchor_of(heading):
    """As GitHub and the site make it: lower case, no punctuation, hyphens for spaces."""
    kept = re.sub(r"[^\w\s-]", "", heading.strip().lower())
    return re.sub(r"\s", "-", kept)


def anchors_of(text):
    return {anchor_of(re.sub(r"[`*]", "", line.lstrip("#"))) for line in CODE_BLOCK.sub("", text).splitlines() if line.startswith("#")}


CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def faults_of(page, root):
    """What is wrong with the links of a page."""
    faults = []
    for match in LINK.finditer(CODE.sub("", page.read_text())):
        target, _, anchor = match[1].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists():
            faults.append(f"{page.relative_to(root)}: {match[1]}: there is no such file")
        elif anchor and anchor not in anchors_of(file.read_text()):
            faults.append(f"{page.relative_to(root)}: {match[1]}: there is no such heading")
    return faults


def pages_of(root):
    for page in sorted(root.rglob("*.md")):
        parts = page.relative_to(root).parts
        if not any(part.startswith(("build", ".")) for part in parts):
            yield page


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = list(pages_of(root))
    faults = [fault for page in pages for fault in faults_of(page, root)]
    print(*faults, sep="\n")
    print(f"{len(pages)} pages, {len(faults)} broken links")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
