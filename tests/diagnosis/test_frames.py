from pathlib import Path

import pytest
from builders import raised, run
from diagnosis_builders import SITE, environment, failed, frame, install
from hypothesis import given
from hypothesis import strategies as st

from backdate.diagnosis.frames import PathClassifier, files_of_tests, is_test_file, relocated, responsible
from backdate.diagnosis.result import FrameKind
from backdate.environments.environment import LockedDistribution


@pytest.fixture
def classifier(tmp_path: Path) -> PathClassifier:
    install(tmp_path, "PyYAML", "6.0", "yaml/__init__.py", "_yaml.so")
    install(tmp_path, "google-a", "1", "google/a/x.py")
    install(tmp_path, "google-b", "2", "google/b/x.py", "google/b/data.bin")
    install(tmp_path, "mine", "0.1", "mine/core.py", "mine/tests/test_core.py")
    own = LockedDistribution(name="mine", version="0.1", source=".")
    return PathClassifier(environment(tmp_path, own), test_files={"spec/checks.py"})


def place(classifier: PathClassifier, root: Path, file: str) -> tuple[FrameKind, str | None, str | None]:
    placed = classifier.classify(frame(file.replace("SITE", f"{root}/lib/python3.12/site-packages")))
    return placed.kind, placed.distribution, placed.version


def test_kinds(classifier: PathClassifier, tmp_path: Path) -> None:
    site = FrameKind.SITE_PACKAGES
    for file, expected in {
        "mine/core.py": (FrameKind.PROJECT, None, None),
        "mine/latest.py": (FrameKind.PROJECT, None, None),
        "tests/helper.py": (FrameKind.TEST, None, None),
        "mine/test_x.py": (FrameKind.TEST, None, None),
        "spec/checks.py": (FrameKind.TEST, None, None),
        "SITE/yaml/__init__.py": (site, "PyYAML", "6.0"),
        "SITE/yaml/late.py": (site, "PyYAML", "6.0"),
        "SITE/google/b/x.py": (site, "google-b", "2"),
        "SITE/google/unknown.py": (site, None, None),
        "SITE/stranger.py": (site, None, None),
        ".venv/lib/python3.12/site-packages/yaml/__init__.py": (site, "PyYAML", "6.0"),
        "SITE/mine/core.py": (FrameKind.PROJECT, "mine", "0.1"),
        "SITE/mine/tests/test_core.py": (FrameKind.TEST, "mine", "0.1"),
        f"{tmp_path}/base/lib/python3.12/json/__init__.py": (FrameKind.STANDARD_LIBRARY, None, "3.12.1"),
        "<frozen importlib._bootstrap>": (FrameKind.STANDARD_LIBRARY, None, "3.12.1"),
        "<string>": (FrameKind.GENERATED, None, None),
        "": (FrameKind.GENERATED, None, None),
        "/tmp/elsewhere.py": (FrameKind.ELSEWHERE, None, None),
    }.items():
        assert place(classifier, tmp_path, file) == expected, file


@pytest.mark.parametrize(
    ("file", "function", "expected"),
    [
        ("yaml/_yaml.pyx", "yaml._yaml.CParser.parse", (FrameKind.SITE_PACKAGES, "PyYAML")),
        ("lib/yaml/_row_cy.py", "yaml._row_cy.BaseRow.__getitem__", (FrameKind.SITE_PACKAGES, "PyYAML")),
        ("/build/yaml/_yaml.pyx", "yaml._yaml.CParser.parse", (FrameKind.SITE_PACKAGES, "PyYAML")),
        ("mine/fast.pyx", "mine.fast.counted", (FrameKind.PROJECT, None)),
        ("fast.pyx", "fast.counted", (FrameKind.PROJECT, None)),
        ("yaml/_yaml.pyx", "<lambda>", (FrameKind.PROJECT, None)),
    ],
)
def test_what_cython_compiled_for_a_distribution_is_not_the_projects(
    classifier: PathClassifier, file: str, function: str, expected: tuple[FrameKind, str | None]
) -> None:
    placed = classifier.classify(frame(file, 3, function))
    assert (placed.kind, placed.distribution) == expected


def test_without_an_environment() -> None:
    classifier = PathClassifier()
    kinds = {
        "/home/me/p/x.py": FrameKind.PROJECT,
        "/usr/lib/python3.8/json/decoder.py": FrameKind.STANDARD_LIBRARY,
        "/usr/lib/python3/dist-packages/numpy/x.py": FrameKind.SITE_PACKAGES,
        f"{SITE}/numpy/x.py": FrameKind.SITE_PACKAGES,
    }
    assert {file: classifier.classify(frame(file)).kind for file in kinds} == kinds
    assert classifier.classify(frame(f"{SITE}/numpy/x.py")).distribution == "numpy"


def test_hostile_metadata(tmp_path: Path) -> None:
    site = install(tmp_path, "good", "1", "good.py")
    (site / "link-1.dist-info").symlink_to(site / "good-1.dist-info")
    bad = site / "bad-2.dist-info"
    bad.mkdir()
    (bad / "METADATA").symlink_to("/etc/passwd")
    (bad / "RECORD").write_bytes(
        b'\xff\xfe,,\n../../../etc/passwd,,\n/etc/shadow,,\n"quo,ted.py",,\nbad.py,,'
    )
    (site / "pipe-3.dist-info").mkdir()
    (site / "pipe-3.dist-info/METADATA").mkdir()
    distributions = PathClassifier(environment(tmp_path)).distributions
    assert {(distribution.name, distribution.version) for distribution in distributions.all.values()} == {
        ("good", "1"),
        ("bad", "2"),
        ("pipe", "3"),
    }
    owner = distributions.of_file("quo,ted.py")
    assert owner is not None
    assert owner.name == "bad"
    assert distributions.of_file("/etc/shadow") is None


def test_setuptools_metadata(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.6/site-packages"
    egg = site / "Old_Thing-1.2-py3.6.egg-info"
    egg.mkdir(parents=True)
    (egg / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: Old-Thing\nVersion: 1.2\n")
    (egg / "installed-files.txt").write_text("../oldthing/__init__.py\nPKG-INFO\n")
    (egg / "top_level.txt").write_text("oldthing\nother\n")
    distributions = PathClassifier(environment(tmp_path, version="3.6.15")).distributions
    for path in ("oldthing/__init__.py", "other/x.py"):
        owner = distributions.of_file(path)
        assert owner is not None
        assert (owner.name, owner.version) == ("Old-Thing", "1.2")


def test_the_responsible_line(classifier: PathClassifier) -> None:
    test, code, deeper = frame("tests/test_a.py"), frame("mine/core.py", 3), frame("mine/core.py", 9)
    library = frame("/x/site-packages/yaml/__init__.py")
    chain = classifier.classify_chain(
        [
            raised("KeyError", "", deeper, library),
            raised("ValueError", "", test, code, library, link="context"),
        ]
    )
    at = [responsible(chain, position) for position in (0, 1)]
    assert [line.frame.line for line in at if line is not None] == [9, 3]
    only_tests = classifier.classify_chain([raised("ValueError", "", test, library)])
    line = responsible(only_tests, 0)
    assert line is not None
    assert line.kind is FrameKind.TEST
    assert responsible(classifier.classify_chain([raised("ValueError", "", library)]), 0) is None


def test_relocation_out_of_a_package_that_answers_a_lookup(classifier: PathClassifier) -> None:
    asks = frame("mine/core.py", 3)
    answers = frame("/x/site-packages/numpy/__init__.py", 300, "__getattr__")
    (placed_error,) = classifier.classify_chain([raised("AttributeError", "", asks, answers)])
    assert [placed.frame for placed in relocated(placed_error.frames)] == [asks]


def test_files() -> None:
    doctest, real = failed("mine/core.py::mine.core.f"), failed("spec/checks.py::C::f[a.b]")
    assert files_of_tests(run(doctest, real)) == {"spec/checks.py"}


@pytest.mark.parametrize(
    "path", ["test_a.py", "a/tests/b/c.py", "test/x.py", "x_test.py", "conftest.py", "tests.py"]
)
def test_names_of_test_files(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize("path", ["contest.py", "a/testing/b.py", "latest.py", "attest/x.py", "testament.py"])
def test_names_of_other_files(path: str) -> None:
    assert not is_test_file(path)


@given(st.text(alphabet="ab/.<>-_ \n\0é", max_size=60))
def test_any_path_is_classified(path: str) -> None:
    PathClassifier().classify(frame(path))
