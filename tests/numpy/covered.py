#!/usr/bin/env python3
"""docs/numpy.md, the public headers, NumPy and the suite have the same functions: covered.py SOURCES RUN_CASES.

Every function of the headers is on the page, and in the suite where NumPy can judge it. Every public name of NumPy's is in
one of the page's two tables: of what there is, which the headers declare, or of what is missing, which they do not."""
import collections
import pathlib
import re
import subprocess
import sys
import warnings

# Whose names the tables have: those of functions by namespace, those of methods by class.
SCOPES = {"pilum::numeric": "numpy", "pilum::numeric::linalg": "linalg", "pilum::numeric::fft": "fft", "pilum::numeric::random": "random"}
METHODS_OF = {"Array": "ndarray", "Generator": "random"}
# Its calls do not compile.
NOT_PUBLIC = {"mistakes.h"}
# Words for others, and what is no function of a user's.
SAME = {"all_cells": "all"}
NO_METHODS = {"begin", "end"}
# Of these nothing is drawn: they have tests of their own, here.
TESTED_IN = {
    "tests/embedding/hand_over_test.cc": "from_dlpack from_local",
    "tests/numeric/convolve_test.cc": "convolve2d correlate2d stencil",
    "tests/numeric/dtypes_test.cc": "can_cast finfo iinfo result_type",
    "tests/numeric/io_test.cc": "fromfile load save tofile",
    "tests/numeric/linear_algebra_test.cc": "inner matmul matvec norm outer tensordot trace vecdot vecmat",
    "tests/numeric/manipulation_test.cc": "ndim shape size",
    "tests/numeric/numpy_forms_test.cc": "promote_types subtract_at",
    "tests/numeric/random_distributions_test.cc": "beta binomial chisquare gamma lognormal poisson standard_gamma",
    "tests/numeric/random_formulas_test.cc":
        "dirichlet f geometric gumbel hypergeometric laplace logistic logseries multinomial multivariate_normal negative_binomial "
        "noncentral_chisquare noncentral_f pareto permuted power rayleigh standard_cauchy standard_t triangular vonmises wald weibull zipf",
    "tests/numeric/random_order_test.cc": "choice permutation shuffle",
    "tests/numeric/random_test.cc": "default_rng exponential integers normal random standard_exponential standard_normal uniform",
    "tests/numeric/selection_test.cc":
        "add_at argwhere choose compress extract flatnonzero maximum_at minimum_at multiply_at nonzero put put_along_axis select take "
        "take_along_axis",
    "tests/numeric/text_io_test.cc": "loadtxt savetxt",
    "tests/numeric/vectorize_test.cc": "reduction vectorize",
}
# Headings of the two tables.
HERE, MISSING = "What there is", "Missing, and what to write instead"
# Not on all machines is long double longer.
OF_SOME_MACHINES = {"complex256", "float128"}


def statements(text):
    """Scopes and first lines of what a header declares, functions' bodies left out."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*', lambda found: '""' if found[0][0] == '"' else "", text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    scopes, head, parentheses, is_open = [], "", 0, [True]
    for part in re.split(r"([(){};]|\b(?:public|private|protected):)", text):
        if part in ("(", ")"):
            parentheses += 1 if part == "(" else -1
        if part in ("public:", "private:", "protected:"):
            is_open[-1] = part == "public:"
        elif parentheses or part not in ("{", "}", ";"):
            head += part
        else:
            head = " ".join(head.split())
            if part != "}" and head and all(is_open):
                yield scopes, head
            if part == "{":
                found = re.match(r"(?:namespace ([\w:]+)|(struct|class) (?:PILUM_API )?(\w+)(?: final)?(?: :.*)?)$", head)
                scopes = [*scopes, (found[1] or found[3]) if found else None]
                is_open.append(bool(found) and found[2] != "class")
            elif part == "}":
                scopes = scopes[:-1]
                is_open.pop()
            head = ""


def declared(head):
    """Names of functions, and names of all else, that a first line declares."""
    if head.startswith("using "):
        return [], re.findall(r"::(\w+)(?=,|$)", head)
    # Macros that declare a function of many folds.
    functions = re.findall(r"\bPILUM_[A-Z_]+\((\w+)[^()]*\)", head)
    head = re.sub(r"\bPILUM_[A-Z_]+(\([^()]*\))?", " ", head).strip()
    head = re.sub(r"^template <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> ?", "", head)
    head = re.sub(r"^requires ?(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|(?:\w+::)*\w+<[^<>]*>) ?", "", head)
    other = re.match(r"(?:class|struct|enum class) (\w+)|inline (?:constexpr|const) [\w:]+ (\w+)(?:$| =)", head)
    if other:
        return functions, [other[1] or other[2]]
    result, parenthesis, _ = head.partition("(")
    found = re.match(r"(?!.*\b(?:operator|friend|explicit|requires|detail::\w+$))[^=]*[\w>&*] ?\b(\w+)$", result)
    if parenthesis and found and " " in result:
        functions = [*functions, found[1]]
    return functions, []


def names_of_headers(folder):
    """Functions, and all names, by the kinds of SCOPES and METHODS_OF."""
    functions, names = collections.defaultdict(set), collections.defaultdict(set)
    for path in sorted(folder.glob("*.h")):
        if path.name in NOT_PUBLIC:
            continue
        for scopes, head in statements(path.read_text(encoding="utf-8")):
            if None in scopes or not scopes:
                continue
            kind = SCOPES.get("::".join(scopes))
            if kind is None and "::".join(scopes[:-1]) in SCOPES:
                kind = METHODS_OF.get(scopes[-1])
            if kind is None:
                continue
            of_head, others = declared(head)
            functions[kind] |= {SAME.get(name, name) for name in of_head}
            names[kind] |= {SAME.get(name, name) for name in (*of_head, *others)}
    return functions, names


def names_of_table(page, heading):
    """What a table's second column has in backticks, by kind: a line is of the kind that its first column says."""
    names = collections.defaultdict(list)
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S)
    for line in (section[1] if section else "").splitlines():
        cells = line.split("|")
        if not line.startswith("| ") or len(cells) != 5:
            continue
        kinds = [word for word in re.findall(r"`(\w+)`", cells[1]) if word in ("linalg", "fft", "random", "ndarray")]
        if cells[1].startswith(" as methods"):
            kinds = ["ndarray"]
        for kind in kinds or ["numpy"]:
            for words in re.findall(r"`(\w+(?: \w+)*)`", cells[2]):
                names[kind] += words.split()
    return names


def names_of_numpy(numpy):
    def public(thing, is_shown=lambda value: True):
        return {name for name in dir(thing) if not name.startswith("_") and is_shown(getattr(thing, name))}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "numpy": public(numpy) - {"fft", "linalg", "random"},
            "linalg": public(numpy.linalg, callable),
            "fft": public(numpy.fft, callable),
            "random": public(numpy.random, callable) | public(numpy.random.Generator),
            "ndarray": public(numpy.ndarray),
        }


def faults_of_tables(page, functions, names):
    """What the page says there is and the headers lack, and the other way round."""
    here, missing = names_of_table(page, HERE), names_of_table(page, MISSING)
    for kind in (*SCOPES.values(), "ndarray"):
        known = names[kind] | (names["ndarray"] if kind == "numpy" else set())
        for name in sorted(set(here[kind]) - known):
            yield f"docs/numpy.md has {name} of {kind}, which the headers do not declare"
        for name in sorted(set(missing[kind]) & names[kind]):
            yield f"docs/numpy.md misses {name} of {kind}, which the headers declare"
        for name in sorted(set(here[kind]) & set(missing[kind])):
            yield f"docs/numpy.md both has and misses {name} of {kind}"
        for name in sorted(functions[kind] - set(here[kind]) - (NO_METHODS if kind == "ndarray" else set())):
            yield f"docs/numpy.md has no {name} of {kind} among what there is"
        for name, count in sorted(collections.Counter(missing[kind]).items()):
            if count > 1:
                yield f"docs/numpy.md misses {name} of {kind} {count} times"


def faults_against_numpy(page, functions):
    """What of NumPy's the page leaves out, and what it misses that NumPy has not."""
    try:
        import numpy
    except ImportError as error:
        print(f"NumPy's own names are not looked at: {error}")
        return
    version = re.search(r"Pilum follows NumPy (\d+\.\d+)", page)[1]
    if not numpy.__version__.startswith(f"{version}."):
        print(f"NumPy's own names are not looked at: this is {numpy.__version__}, the page is about {version}")
        return
    here, missing = names_of_table(page, HERE), names_of_table(page, MISSING)
    for kind, public in names_of_numpy(numpy).items():
        # Methods that are functions here are not listed again.
        known = {*here[kind], *missing[kind]} | (functions["numpy"] if kind == "ndarray" else set())
        for name in sorted(public - known):
            yield f"docs/numpy.md does not name {name} of {kind}, which NumPy {numpy.__version__} has"
        for name in sorted(set(missing[kind]) - public - OF_SOME_MACHINES):
            yield f"docs/numpy.md misses {name} of {kind}, which NumPy {numpy.__version__} has not"


def faults_of_suite(sources, functions, called):
    """What neither NumPy judges nor another test calls."""
    elsewhere = {name: file for file, words in TESTED_IN.items() for name in words.split()}
    of_generators = functions["random"]
    to_judge = functions["numpy"] | functions["linalg"] | functions["fft"]
    for name in sorted((to_judge - called | of_generators) - set(elsewhere)):
        yield f"tests/numpy calls no {name}"
    for name, file in sorted(elsewhere.items()):
        before = r"\." if name in of_generators - {"default_rng"} else r"\b"
        if name not in to_judge | of_generators:
            yield f"covered.py has {name} tested in {file}, which the headers do not declare"
        elif name in called - of_generators:
            yield f"covered.py has {name} tested in {file}, and tests/numpy calls it"
        elif not re.search(rf"{before}{name}\(", (sources / file).read_text(encoding="utf-8")):
            yield f"{file} calls no {name}"
    try:
        sys.path.insert(0, str(sources / "tests/numpy"))
        from functions import all_functions
        drawn = {function.name for function in all_functions()}
        yield from (f"tests/numpy draws no {name}" for name in sorted(called - drawn))
        yield from (f"tests/numpy draws {name}, which it cannot call" for name in sorted(drawn - called))
    except ImportError as error:
        print(f"what is drawn is not looked at: {error}")


def main():
    sources, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    functions, names = names_of_headers(sources / "include/pilum")
    page = (sources / "docs/numpy.md").read_text(encoding="utf-8")
    called = set(subprocess.run([program, "--functions"], capture_output=True, text=True, check=True).stdout.split())
    for heading in (HERE, MISSING):
        if not names_of_table(page, heading):
            print(f"docs/numpy.md has no table '{heading}'")
            return True
    faults = [*faults_of_tables(page, functions, names), *faults_against_numpy(page, functions), *faults_of_suite(sources, functions, called)]
    counts = {kind: len(functions[kind]) for kind in (*SCOPES.values(), "ndarray")}
    # Headers that are read wrongly lack most of these.
    for kind, least in {"numpy": 300, "linalg": 20, "fft": 18, "random": 40, "ndarray": 30}.items():
        if counts[kind] < least:
            faults.append(f"only {counts[kind]} functions of {kind} were found in the headers")
    print(*faults or [", ".join(f"{count} of {kind}" for kind, count in counts.items())], sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
