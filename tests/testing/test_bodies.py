from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.testing.assembly import Capture
from backdate.testing.bodies import look_at_bodies
from backdate.testing.command import runs_copies
from backdate.testing.integrity import IntegrityReason
from backdate.testing.outcomes import CaseResult, Outcome
from backdate.testing.wire import BodyRuns, BodySeen

ID = "m/tests/test_one.py::test_one"
PASSED = CaseResult(id=ID, outcome=Outcome.PASSED, duration_s=0.0, file="m/tests/test_one.py")


def seen_in(*files: str) -> Capture:
    ran = tuple(BodyRuns(file=file, first=1, started=1, returned=1, yields=0) for file in files)
    return Capture(bodies={ID: BodySeen(pid=1, id=ID, intact=True, ran=ran)})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    file = tmp_path / "m" / "tests" / "test_one.py"
    file.parent.mkdir(parents=True)
    file.write_text("def test_one():\n    pass\n")
    return tmp_path


@pytest.mark.parametrize("files", [(), ("/env/lib/python3.8/site-packages/m/tests/test_one.py",)])
def test_what_is_not_seen_of_installed_copies_is_no_forgery(tree: Path, files: tuple[str, ...]) -> None:
    capture = seen_in(*files)
    assert look_at_bodies(capture, [PASSED], tree).reasons == (IntegrityReason.BODY_NOT_RUN,)
    assert look_at_bodies(capture, [PASSED], tree, of_copies=True).reasons == (IntegrityReason.BODY_UNSEEN,)


def test_a_body_that_was_seen_counts_either_way(tree: Path) -> None:
    capture = seen_in("m/tests/test_one.py")
    for of_copies in (False, True):
        integrity = look_at_bodies(capture, [PASSED], tree, of_copies=of_copies)
        assert (integrity.reasons, integrity.bodies) == ((), 1)


def test_copies_run_where_paths_do_not_have_to_match() -> None:
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    assert not runs_copies(plan)
    copies = SuitePlan(
        runner="pytest", environment=(("PY_IGNORE_IMPORTMISMATCH", "1"),), provenance=plan.provenance
    )
    assert runs_copies(copies)


TWO_CLASSES = """\
class TestOther:
    def test_one(self):
        pass


class TestInherits(Base):
    pass


class TestOwn(Base):
    def test_one(self):
        pass
"""


@pytest.mark.parametrize(
    ("test", "reasons"),
    [
        ("TestInherits::test_one", ()),
        ("test_one", ()),
        ("TestOwn::test_one", (IntegrityReason.BODY_NOT_RUN,)),
        ("TestOwn::TestOther::test_one", (IntegrityReason.BODY_NOT_RUN,)),
    ],
)
def test_a_function_of_another_class_is_another_test(
    tmp_path: Path, test: str, reasons: tuple[IntegrityReason, ...]
) -> None:
    (tmp_path / "test_two.py").write_text(TWO_CLASSES)
    identity = f"test_two.py::{test}"
    elsewhere = BodyRuns(file="base.py", first=3, started=1, returned=1, yields=0)
    passed = CaseResult(id=identity, outcome=Outcome.PASSED, duration_s=0.0, file="test_two.py")
    seen = BodySeen(pid=1, id=identity, intact=True, whole=True, ran=(elsewhere,))
    assert look_at_bodies(Capture(bodies={identity: seen}), [passed], tmp_path).reasons == reasons
    # Where only the first function of the name that was called is known, it may have been the other one.
    first = msgspec.structs.replace(seen, whole=False)
    unknown = (IntegrityReason.BODY_UNSEEN,) if reasons else ()
    assert look_at_bodies(Capture(bodies={identity: first}), [passed], tmp_path).reasons == unknown


def test_a_function_may_begin_with_any_number_of_lines_of_parameters(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "def unlike():\n    pass\n\n\n"
        "class TestOther:\n    def test_one(self):\n        pass\n\n\n"
        "@pytest.mark.parametrize('number', [\n" + "    1,\n" * 600 + "])\n"
        "def test_one(number):\n    pass\n"
    )
    passed = replace(PASSED, id="test_one.py::test_one[1]", file="test_one.py")
    for first, reasons in (
        (10, ()),
        (6, (IntegrityReason.BODY_NOT_RUN,)),
        (700, (IntegrityReason.BODY_NOT_RUN,)),
    ):
        ran = (BodyRuns(file="test_one.py", first=first, started=1, returned=1, yields=0),)
        seen = BodySeen(pid=1, id=passed.id, intact=True, whole=True, ran=ran)
        assert look_at_bodies(Capture(bodies={passed.id: seen}), [passed], tmp_path).reasons == reasons


def test_a_function_below_a_condition_may_be_the_one_that_ran(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(
        "class TestA:\n    def test_one(self):\n        pass\n\n"
        "    if True:\n        def test_one(self):\n            pass\n"
    )
    identity = "test_two.py::TestA::test_one"
    capture = Capture(bodies={identity: BodySeen(pid=1, id=identity, intact=True, whole=True, ran=())})
    passed = CaseResult(id=identity, outcome=Outcome.PASSED, duration_s=0.0, file="test_two.py")
    assert look_at_bodies(capture, [passed], tmp_path).reasons == (IntegrityReason.BODY_UNSEEN,)
