"""No text is run: neither as code, nor as a pickle, nor as a template, nor by a shell."""

import ast

from config.tests.test_tenant_walls import name_of, our_files

RUNS_TEXT = {"eval", "exec", "compile", "__import__", "system", "popen", "getoutput"}
LOADS_CODE = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "imp", "code"}
TEMPLATES = {"Template", "from_string"}
# Where they are, and why.
MAY = {
    ("config/jobs/places.py", "eval"): "Redis' own, of a script that is a constant",
    ("reading/whisper_models.py", "pickle"): "its error's name, of a file that an operator"
    " converts by a command",
}


def forbidden(path: str, tree: ast.Module) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                continue  # re.compile
            case ast.Call(func=function) if name_of(function) in RUNS_TEXT | TEMPLATES:
                found.add((path, name_of(function)))
            case ast.Call(keywords=keywords) if any(is_shell(given) for given in keywords):
                found.add((path, "shell"))
            case ast.Import(names=names):
                found |= {(path, one.name) for one in names if one.name in LOADS_CODE}
            case ast.ImportFrom(module=str(module)) if module in LOADS_CODE:
                found.add((path, module))
            case _:
                pass
    return found


def is_shell(given: ast.keyword) -> bool:
    is_off = isinstance(given.value, ast.Constant) and not given.value.value
    return given.arg == "shell" and not is_off


def test_no_text_is_run() -> None:
    found: set[tuple[str, str]] = set()
    for path, tree in our_files():
        if "/migrations/" not in path:
            found |= forbidden(path, tree)

    assert found == set(MAY)
