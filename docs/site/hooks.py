"""What the site has that docs/ has not: README.md as its first page, the folders' READMEs, and links between them."""
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parents[2]
MAY_BE_ABSENT = ["embedding.md"]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)((?:#[^)]*)?\))")


def folder_readmes():
    """The page of each folder's README: scheduler/README.md is folders/scheduler.md."""
    found = sorted(path.relative_to(ROOT) for path in ROOT.glob("*/**/README.md"))
    parts = ("apps", "launcher", "numeric", "partitioner", "runtime", "scheduler")
    return {path: "folders/" + "-".join(path.parts[:-1]) + ".md" for path in found if path.parts[0] in parts}


def page_of(target):
    """Where a file of the repository is on the site, if it is there."""
    if target == pathlib.Path("README.md"):
        return "index.md"
    if target in folder_readmes():
        return folder_readmes()[target]
    return str(target.relative_to("docs")) if target.parts[0] == "docs" else None


def site_text(text, source):
    """The page's text with its links to files of the repository made links of the site."""
    here = page_of(source)

    def rewrite(match):
        if "://" in match[2] or match[2].startswith("mailto:"):
            return match[0]
        target = (ROOT / source.parent / match[2]).resolve()
        page = page_of(target.relative_to(ROOT)) if target.is_relative_to(ROOT) else None
        if page is None:  # no page of the site: its name is enough, if there is such a file
            if target.exists():
                return "`" + match[1].strip("![](").rstrip("](").strip("`") + "`"
            return match[0]
        up = "../" * here.count("/")
        return match[1] + up + page + match[3]

    return LINK.sub(rewrite, text)


def keep_present(items, config):
    """The navigation without pages that are not written yet."""
    kept = []
    for item in items:
        ((title, value),) = item.items()
        if isinstance(value, list):
            kept.append({title: keep_present(value, config)})
        elif value not in MAY_BE_ABSENT or (ROOT / "docs" / value).exists():
            kept.append(item)
    return kept


def on_config(config):
    config.nav = keep_present(config.nav, config)
    pages = [{str(path.parent) + "/": page} for path, page in folder_readmes().items()]
    config.nav.append({"Folder by folder": pages})
    if "mkdoxy" in config.plugins:
        config.nav.append({"API reference": [
            {"Arrays (pilum::numeric)": "api/namespacepilum_1_1numeric.md"}, {"Runtime and tasks (pilum)": "api/namespacepilum.md"},
            {"Classes": "api/annotated.md"}, {"Headers": "api/files.md"}]})
    return config


def on_files(files, config):
    sources = [pathlib.Path("README.md"), *folder_readmes()]
    for source in sources:
        text = site_text((ROOT / source).read_text(), source)
        files.append(File.generated(config, page_of(source), content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    name = page.file.src_uri
    if page.file.generated_by is None and not name.startswith("api/"):
        return site_text(markdown, pathlib.Path("docs") / name)
    return markdown
