"""What a process remembers from one request to the next. A memory that is keyed without its tenant
tells one company what another asked: each is listed here, with what keeps it from that.
"""

import ast

from config.tests.test_tenant_walls import our_files

OF_TEXT = "of a word, a passage or an address, whoever wrote it: the same for everybody"
OF_PACKAGE = "what the package ships, read once"
OF_PROCESS = "connections, files and models of the process, of no tenant"
OF_REQUEST = "a context variable, set anew for each request and decided by nowhere"
REMEMBERED = {
    "accounts/activity.py::current_actor": OF_REQUEST,
    "accounts/admin/start_page.py::_makers": OF_PACKAGE,
    "channels/pages/widget.py::read_scripts": OF_PACKAGE,
    "config/database/acting.py::_acting": OF_REQUEST,
    "config/database/limits.py::_seconds": OF_REQUEST,
    "config/embedded/processes.py::_started": OF_PROCESS,
    "config/http/lines.py::_idle": OF_PROCESS,
    "config/jobs/enqueueing.py::_kept": OF_PROCESS,
    "config/jobs/redis_client.py::client_of": OF_PROCESS,
    "config/readiness.py::DETAILS": OF_PROCESS,
    "config/readiness.py::IS_FROM_STAFF": OF_PROCESS,
    "config/rest/documentation.py::make_schema": OF_PACKAGE,
    "config/rest/documentation.py::write_once": OF_PACKAGE,
    "config/rest/request_id.py::current_request_id": OF_REQUEST,
    "config/running/gunicorn.py::secure_scheme_headers": OF_PROCESS,
    "config/security/current_client.py::current_client": OF_REQUEST,
    "config/security/rate_limits.py::limiter": OF_PROCESS,
    "config/security/secret_keys.py::derive_key": OF_PROCESS,
    "dashboard/workspace/forms.py::list_time_zones": OF_PACKAGE,
    "query/answering/checking/clauses.py::all_terms": OF_TEXT,
    "query/answering/checking/clauses.py::is_content": OF_TEXT,
    "query/answering/checking/facts.py::is_no_name": OF_TEXT,
    "query/answering/checking/rewriting.py::number_run": OF_PACKAGE,
    "query/answering/model_slots.py::_taken": "the tenant's id is the key",
    "query/answering/tables/cells.py::read_amount": OF_TEXT,
    "query/answering/tables/cells.py::read_span": OF_TEXT,
    "query/answering/tables/cells.py::unit_of": OF_TEXT,
    "query/answering/tables/cells.py::unit_of_header": OF_TEXT,
    "query/answering/tables/matching.py::header_terms": OF_PACKAGE,
    "query/answering/tables/matching.py::question_terms": OF_TEXT,
    "query/answering/tables/matching.py::terms_in": OF_TEXT,
    "query/answering/topics.py::topics_of": "the tenant and its sources are the key",
    "query/search/calibration/__init__.py::_tried": OF_PROCESS,
    "query/search/calibration/__init__.py::calibration_of": OF_PACKAGE,
    "query/search/passage_words.py::cut": OF_TEXT,
    "query/search/reader/decisions.py::_tried": OF_PROCESS,
    "query/search/reader/decisions.py::shipped_decisions": OF_PACKAGE,
    "query/search/reader/reader.py::get_reader": OF_PROCESS,
    "query/search/siblings.py::likeness_of": OF_TEXT,
    "query/understanding/asked_for.py::terms_of_word": OF_TEXT,
    "reading/extractors/office/format_codes.py::read_sections": OF_TEXT,
    "reading/extractors/office/number_formats.py::built_in_format": OF_PACKAGE,
    "language/spelling.py::near_words": OF_TEXT,
    "sources/connectors/calling.py::_waited_until": OF_REQUEST,
    "connectors/web/urls.py::parse": OF_TEXT,
    "sources/embedding/onnx_model.py::is_function_word": OF_TEXT,
    "sources/embedding/onnx_model.py::load_background": OF_PACKAGE,
    "language/chat.py::chat_words": OF_PACKAGE,
    "language/detection.py::word_leaning": OF_TEXT,
    "language/glossary.py::_forms_and_stems": OF_PACKAGE,
    "language/glossary.py::to_english": OF_TEXT,
    "language/terms.py::concepts": OF_TEXT,
    "language/terms.py::term_number": OF_TEXT,
    "language/terms.py::word_terms": OF_TEXT,
    "language/word_lists.py::read_file": OF_PACKAGE,
    "language/words.py::_accented_words": OF_PACKAGE,
    "language/words.py::function_words": OF_PACKAGE,
    "language/words.py::information": OF_TEXT,
    "language/words.py::stem": OF_TEXT,
    "language/words.py::zipf": OF_TEXT,
    "reading/confinement/server.py::prepared": "of extractors, in the process above files",
    "reading/extractors/audio/recording.py::recognisers": OF_PACKAGE,
    "reading/extractors/html/content.py::signs_of": OF_TEXT,
}
MEMORIES = {"cache", "lru_cache"}
CONTAINERS = {"dict", "list", "set", "deque", "defaultdict", "OrderedDict", "WeakValueDictionary"}
CONTAINERS |= {"ContextVar", "local", "Queue", "SimpleQueue", "WeakKeyDictionary", "Counter"}


def name_of(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function) | ast.Subscript(value=function):
            return name_of(function)
        case _:
            return ""


def memories(path: str, tree: ast.Module) -> set[str]:
    """Functions that remember what they answered, and empty containers that stand in a module."""
    found = {
        f"{path}::{node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(name_of(decorator) in MEMORIES for decorator in node.decorator_list)
    }
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        value = getattr(node, "value", None)
        if targets and is_filled_later(value):
            found |= {f"{path}::{name_of(target)}" for target in targets}
    return found


def is_filled_later(value: ast.AST | None) -> bool:
    match value:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.Call(args=[]) | ast.Call(func=ast.Name(id="ContextVar" | "deque" | "defaultdict")):
            return name_of(value) in CONTAINERS
        case _:
            return False


def test_what_a_process_remembers_is_listed() -> None:
    found: set[str] = set()
    for path, tree in our_files():
        if "/tests/" not in path:
            found |= memories(path, tree)

    assert sorted(found) == sorted(REMEMBERED)
