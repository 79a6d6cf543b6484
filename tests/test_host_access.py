"""The host opens no file by a name that foreign code could have planted.

In every room whose code touches trees of projects, answers or environments, each place that opens, writes or
moves a file by its path is listed here with the reason why no link can have led that path elsewhere. What
handles such trees goes through ``projects/hostile.py`` (open folders, no link followed) or
``projects/read.py`` (links inside of a tree followed, none out of it). Removing a tree (``shutil.rmtree``)
follows no link.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import backdate

SOURCE = Path(backdate.__file__).parent

ROOMS = (
    *("editing", "projects", "recipes", "environments", "testing", "checking", "diagnosis", "bisection"),
    *("tasks", "solvers", "evaluation", "construction"),
)
INSIDE = ("testing/capture", "diagnosis/probe", "testing/tracer")
"""What runs in sandboxes, as foreign code does."""

BY_PATH = frozenset(
    (
        *("open", "read_text", "read_bytes", "write_text", "write_bytes", "write_whole", "touch", "mkfifo"),
        *("chmod", "lchmod", "chown", "lchown", "symlink_to", "hardlink_to", "link", "symlink", "unlink"),
        *("rename", "renames", "move", "copy", "copy2", "copyfile", "copymode", "copystat", "copytree"),
        *("replace", "remove", "ZipFile", "TarFile", "FileIO"),
    )
)
OF_OS = frozenset({"link", "copy", "replace", "remove", "rename", "move"})
"""Names of ``BY_PATH`` that other things have as methods: counted on ``os`` and ``shutil`` alone, but for
``rename``."""

_CALLED = re.compile(
    rf"\b(?:(?:os|shutil)\.(?:{'|'.join(sorted(OF_OS))})|{'|'.join(sorted(BY_PATH - OF_OS | {'rename'}))})\("
)

Place = tuple[str, str, str]
"""Module, function, and the name of what is called."""


def opened_by_path(text: str) -> Iterator[tuple[str, str]]:
    """Each call of ``BY_PATH`` in a module: the function that it stands in, and its name."""
    if _CALLED.search(text) is None:  # most modules: parsing them takes long
        return
    module = ast.parse(text)
    ours = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("backdate.")
        for alias in node.names
    } - {
        "write_whole"
    }  # of our functions it alone opens what it is given; the others are searched themselves
    ours |= {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            local = {one.name for one in ast.walk(function) if isinstance(one, ast.FunctionDef)}
            local |= {one.arg for one in function.args.args}
            for call in ast.walk(function):
                name = _by_path(call, ours | local) if isinstance(call, ast.Call) else None
                if name is not None:
                    yield function.name, name


def _by_path(call: ast.Call, ours: set[str]) -> str | None:
    called = call.func
    if isinstance(called, ast.Name):
        return called.id if called.id in BY_PATH - OF_OS and called.id not in ours else None
    if not isinstance(called, ast.Attribute) or called.attr not in BY_PATH:
        return None
    of_os = isinstance(called.value, ast.Name) and called.value.id in ("os", "shutil")
    return called.attr if of_os or called.attr not in OF_OS - {"rename"} else None


def places() -> set[Place]:
    """Every place of the rooms."""
    return {
        (path.relative_to(SOURCE).as_posix(), *place)
        for room in ROOMS
        for path in (SOURCE / room).rglob("*.py")
        if not path.relative_to(SOURCE).as_posix().startswith(INSIDE)
        for place in opened_by_path(path.read_text(encoding="utf-8"))
    }


def test_every_place_that_opens_by_a_path_has_its_reason() -> None:
    allowed = {
        (module, function, call)
        for listed in ALLOWED.values()
        for module, functions in listed.items()
        for function, calls in functions.items()
        for call in calls.split()
    }
    found = places()
    assert sorted(found - allowed) == [], "go through projects/hostile.py or projects/read.py"
    assert sorted(allowed - found) == [], "these are gone: strike them off"


def test_the_search_sees_what_was_done_before() -> None:
    """The places that attacks have used."""
    text = (
        'def build_at(root):\n    (root / "pylock.toml").write_text("")\n    shutil.copymode(root, root)\n'
        "def write_changed(path):\n    path.write_bytes(b'')\n    path.rename(path)\n"
        "    os.replace(path, path)\n"
        "def read(text):\n    text.replace('a', 'b')\n    read_bytes(path)\n"
        "    write_whole(path)\n    open(path)\n"
        "def opened(open):\n    open(1)\n"
    )
    assert set(opened_by_path("from backdate.projects.read import read_bytes\n" + text)) == {
        *(("build_at", "write_text"), ("build_at", "copymode")),
        *(("write_changed", "write_bytes"), ("write_changed", "rename"), ("write_changed", "replace")),
        *(("read", "write_whole"), ("read", "open")),
    }


def test_removing_a_tree_follows_no_link() -> None:
    assert shutil.rmtree.avoids_symlink_attacks


ALLOWED: dict[str, dict[str, dict[str, str]]] = {
    "what all others go through, in open folders or without following links": {
        "projects/hostile.py": {
            "_open": "open",
            "at": "open",
            "duplicate": "open",
            "folder": "open",
            "link": "symlink",
            "move_out": "move",
            "read": "open",
            "renew": "open replace unlink",
            "replace": "rename unlink",
            "write_new": "open",
        },
        "projects/read.py": {"read_bytes": "open"},
        "projects/sources/folder.py": {"__init__": "open", "at": "open"},
        "projects/sources/tree.py": {"read_chunks": "open"},
        "projects/unpinning/tree.py": {"_read": "open"},
        "solvers/tools/files.py": {"read_bytes": "open"},
        "diagnosis/distributions.py": {"read_bounded": "open"},
        "testing/events.py": {"read_event_file": "open"},
        "testing/watching.py": {"_look": "open"},
        "testing/tracing.py": {"_bytes_of": "open"},
    },
    "in a tree of ours in which nothing runs, a path that was looked at part by part just before": {
        "editing/apply.py": {"apply_files": "touch unlink"},
        "projects/tree.py": {"copy_tree": "copytree", "tree_digest": "open"},
        "projects/unpinning/tree.py": {"apply_unpinning": "chmod unlink write_whole"},
        "environments/packaging_inputs.py": {"_content": "open"},
        "solvers/tools/editing.py": {"revert": "chmod write_whole", "write": "chmod write_whole"},
        "evaluation/inspect_extra/environment.py": {"read_file": "open", "write_file": "write_bytes"},
        "tasks/archive.py": {"_add": "read_bytes"},
    },
    "a tree that is being made of what a stranger sent, in a new folder; its links are made last": {
        "projects/sources/tree.py": {"add_file": "open", "finish": "symlink_to"},
        "projects/sources/open.py": {"open_source": "rename"},
        "projects/sources/sdist.py": {"_unpack_single": "move"},
        "construction/migration/execute.py": {"_tree": "rename"},
    },
    "a new folder of ours, which nothing foreign has written to yet": {
        "checking/audit.py": {"audit_pair": "chmod"},
        "environments/pip_installer.py": {"_script": "write_text", "install_with_pip": "chmod write_text"},
        "environments/cache.py": {"make_clean": "chown"},
        "environments/script_installer.py": {"_place_in": "chmod"},
        "environments/script_shims.py": {"write_stand_ins": "chmod write_text"},
        "environments/step_files.py": {"build_files": "write_text", "input_file": "chmod write_text"},
        "environments/wheels_alone.py": {"_canaries": "ZipFile chmod open", "resolving_by_name": "chmod"},
        "evaluation/changed_trees.py": {"for_changed_trees": "chmod"},
        "evaluation/known_solution.py": {"write_solved_files": "write_whole"},
        "evaluation/inspect_extra/environment.py": {
            "_run": "chmod read_bytes write_bytes",
            "sample_init": "chmod",
        },
        "solvers/command.py": {"_mount_briefing": "chmod write_bytes write_text"},
        "solvers/rules/fixers/running.py": {"_write": "write_bytes"},
        "tasks/annotation_shell.py": {"host_environment": "chmod write_whole"},
        "tasks/pending.py": {"set_up_pending": "chmod"},
        "tasks/verify_task.py": {"_sound_changes": "chmod"},
        "tasks/quality/measure.py": {"quality_of": "chmod"},
        "tasks/quality/leaks.py": {"network_reached": "read_bytes"},
        "testing/shims.py": {"write_stand_ins": "chmod write_text"},
    },
    "files of ours beside each other, each shown alone to a sandbox, which cannot replace what it is shown": {
        "diagnosis/api.py": {"run_probe": "chmod open touch write_bytes"},
        "solvers/rules/fixers/running.py": {"run_fixer": "chmod open touch"},
        "testing/tracing.py": {
            "__init__": "chmod read_bytes write_whole",
            "run": "chmod write_whole",
        },
        "testing/command.py": {
            "carried_modules": "read_text",
            "prepare": "chmod touch unlink write_whole",
        },
    },
    "records, logs and caches of ours, which sandboxes are not shown": {
        "bisection/bisect.py": {"bisect_project": "write_whole"},
        "checking/build_environment.py": {"build_project_environment": "write_text"},
        "checking/answer.py": {"answer_project": "write_whole"},
        "checking/check.py": {"_write_patches": "write_whole", "check_project": "write_whole"},
        "checking/set_up.py": {"set_up_project": "write_whole"},
        "construction/disk.py": {"_hold_folder": "open", "_sizes": "read_text", "trim": "open unlink"},
        "construction/fetch.py": {"_kept_clone": "open rename"},
        "construction/ledger.py": {"_sole_writer": "open"},
        "construction/snippet/kept.py": {"get": "read_bytes unlink", "put": "write_whole"},
        "construction/snippet/write.py": {"write_built": "write_whole"},
        "construction/store.py": {
            "bring": "copyfile",
            "fetch": "copyfile",
            "read": "read_bytes",
            "remove": "unlink",
            "write": "write_whole",
        },
        "construction/trees.py": {"fetch_tree": "unlink", "keep_tree": "open unlink"},
        "environments/cache.py": {
            "forget": "unlink",
            "read": "read_bytes unlink",
            "secret": "chmod",
            "write": "write_whole",
        },
        "environments/interpreters.py": {"_read_cache": "read_bytes", "find_interpreters": "write_whole"},
        "environments/pip_installer.py": {"_pip_errors": "read_bytes"},
        "environments/lent_files.py": {"_file": "open"},
        "environments/cache_use.py": {"at_work": "unlink", "_oldest": "open unlink"},
        "environments/cache_removal.py": {"_page": "unlink"},
        "environments/daily_upkeep.py": {"keep_within_bound": "touch"},
        "environments/references/archives.py": {"_fetch": "write_whole"},
        "environments/step_run.py": {"note_refusals": "open"},
        "environments/uv_downloads.py": {"_remember": "write_whole", "_remembered": "read_bytes"},
        "evaluation/audit.py": {"write_audit": "write_whole"},
        "evaluation/snippets/rules_solver.py": {"_migrated": "read_text"},
        "evaluation/snippets/run_folder.py": {
            "claim_snippet_run": "write_whole",
            "load_snippet_run": "read_bytes",
        },
        "evaluation/snippets/scored.py": {
            "load_snippet_scores": "read_bytes",
            "write_snippet_scores": "write_whole",
        },
        "evaluation/run_folder.py": {
            "_read_info": "read_bytes",
            "alone_in": "open",
            "claim": "write_whole",
            "keep_attempt": "unlink write_whole",
            "load_record": "read_bytes",
            "set_aside": "rename",
            "write_predictions": "write_whole",
        },
        "evaluation/score_run.py": {"_claim": "write_whole", "score_run": "write_whole"},
        "evaluation/scores.py": {
            "load_score": "read_bytes",
            "read_score_info": "read_bytes",
            "store_score": "write_whole",
        },
        "projects/sources/download.py": {"_sha256": "open", "download": "write_whole"},
        "solvers/journal.py": {"__init__": "read_bytes", "_file": "open"},
        "solvers/migration/evidence.py": {"_listed": "read_bytes"},
        "solvers/tools/logs.py": {"read_log": "open"},
        "tasks/annotation_folder.py": {
            "open_workspace": "read_bytes write_whole",
            "spending_time": "write_whole",
        },
        "tasks/verify_dataset.py": {"_tidy": "unlink"},
    },
    "what the user named: a list, a data set, an archive, predictions; it is read, within a bound": {
        "construction/publish.py": {"read_funnel_file": "read_bytes"},
        "construction/sources/listed.py": {"read_list": "open"},
        "construction/sources/open.py": {"sources_digest": "open"},
        "construction/sources/rows.py": {"read_jsonl": "open"},
        "evaluation/load.py": {"open_bench": "open"},
        "tasks/quality/measure_dataset.py": {"measure_dataset": "open"},
        "evaluation/predictions.py": {"read_predictions": "read_bytes"},
        "projects/sources/archives.py": {"_decompressed": "open", "open_tar": "open"},
        "solvers/replay.py": {"_read": "open"},
        "tasks/checksums.py": {"read_bounded": "read_bytes", "sha256_of": "open"},
        "tasks/foreign/importing.py": {"import_rows": "read_bytes"},
        "tasks/verification_record.py": {"read_verification": "read_bytes"},
    },
    "a data set's own folders, of which none is a link (Dataset refuses it), or a new export": {
        "tasks/annotating.py": {"record_annotation": "write_whole"},
        "tasks/merging.py": {"add_source": "copyfile", "merge_datasets": "copyfile"},
        "tasks/archive.py": {"pack_tree": "chmod open unlink"},
        "tasks/dataset.py": {"create": "write_whole", "render": "unlink write_whole"},
        "tasks/dataset_folder.py": {
            "settled": "unlink",
            "whole_folder": "chmod rename",
            "write_change": "unlink write_whole",
        },
        "tasks/foreign/container.py": {"write_context": "write_whole"},
        "tasks/foreign/docker_export.py": {
            "_write_issue": "chmod write_whole",
            "_write_migration": "chmod write_whole",
        },
        "tasks/foreign/exporting.py": {"export_tasks": "chmod rename write_whole"},
        "tasks/foreign/harbor.py": {"_write_migration": "chmod write_whole"},
        "tasks/foreign/harbor_issue.py": {"write_harbor_issue": "chmod write_whole"},
        "tasks/foreign/parquet.py": {"write_parquet": "write_whole"},
        "tasks/foreign/task_repository.py": {
            "_write_task": "chmod write_whole",
            "write_task_repository": "write_whole",
        },
        "tasks/verification_record.py": {"write_verification": "write_whole"},
    },
    "what driver and workers share: who writes there is trusted (docs/how-it-works/threat-model.md)": {
        "construction/executors/spool.py": {
            "__init__": "unlink",
            "_claim": "open",
            "_forget": "unlink",
            "_reopen_lost": "unlink",
            "_time_of": "open",
            "close": "touch unlink",
            "submit": "write_whole",
            "work": "unlink write_whole",
        },
    },
    "a file of the kernel's": {"environments/seal.py": {"_boot": "read_text"}},
    "a file of the package itself": {"diagnosis/api_answers.py": {"_programs": "read_bytes"}},
}
"""By reason the places where a file is opened by its path: module, function, names of what is called."""
