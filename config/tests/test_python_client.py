"""The Python client that bin/client makes: whole, importable, and the same every time."""

import functools
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from config.rest.operation_names import OPERATION_NAMES
from config.running.client import reason_to_leave_out
from config.tests.python_client import make_client

IMPORT_ALL = """
import importlib, pkgutil, knowledge_agents_client as client
for module in pkgutil.walk_packages(client.__path__, "knowledge_agents_client."):
    importlib.import_module(module.name)
    print(module.name)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return make_client(tmp_path_factory.mktemp("client"))


@functools.cache
def modules(wheel: Path) -> list[str]:
    """All that the wheel has, each imported, by one new process."""
    imported = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return imported.stdout.split()


def test_every_endpoint_has_a_function_but_those_that_are_left_out(made: tuple[Path, str]):
    description = yaml.safe_load((settings.BASE_DIR / "docs" / "openapi.yaml").read_text())
    expected = {
        operation["operationId"]
        for path, methods in description["paths"].items()
        for operation in methods.values()
        if not reason_to_leave_out(path)
    }
    names = [module.split(".") for module in modules(made[0])]

    assert {name[-1] for name in names if name[1] == "api" and len(name) == 4} == expected
    assert expected < set(OPERATION_NAMES.values())


def test_a_refusal_is_of_the_same_class_everywhere(made: tuple[Path, str]):
    models = {name.rpartition(".")[2] for name in modules(made[0]) if ".models." in name}

    assert {name for name in models if "error" in name} == {
        "error",
        "error_detail",
        "legacy_error",
    }
    assert not {name for name in models if "_type_1" in name}


def test_what_is_left_out_leaves_no_classes_behind(made: tuple[Path, str]):
    models = {name.rpartition(".")[2] for name in modules(made[0]) if ".models." in name}

    assert "query_input" in models
    assert "visitor_query_input" not in models


def test_what_is_left_out_is_said_and_the_generator_has_nothing_to_add(made: tuple[Path, str]):
    *left_out, package, install = made[1].splitlines()

    assert "Left out: /webhooks/messenger_a/{agent_id} (messengers call it)" in left_out
    assert all(re.fullmatch(r"Left out: \S+( of \S+)? \(.+\)", line) for line in left_out)
    assert package.startswith("The package: ")
    assert install == f"To install it: pip install {made[0]}"


def test_the_same_description_gives_the_same_wheel_and_replaces_what_stood_there(
    made: tuple[Path, str], tmp_path: Path
):
    stale = tmp_path / "knowledge-agents-client" / "stale.py"
    stale.parent.mkdir()
    stale.touch()
    other = tmp_path / "other.txt"
    other.touch()

    again, _ = make_client(tmp_path)

    assert again.name == made[0].name
    assert again.read_bytes() == made[0].read_bytes()
    assert not stale.exists()
    assert other.exists()


def test_the_wheel_says_how_it_is_used(made: tuple[Path, str]):
    with zipfile.ZipFile(made[0]) as wheel:
        metadata = wheel.read("knowledge_agents_client-0.1.0.dist-info/METADATA").decode()

    assert "\nName: knowledge-agents-client\n" in metadata
    assert metadata.endswith((settings.BASE_DIR / "docs" / "client.md").read_text())
