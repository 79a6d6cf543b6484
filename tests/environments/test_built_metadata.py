"""What is believed of the metadata that a wheel of an sdist's own build states."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest

from backdate.environments.built_metadata import BuiltSdist, read_built
from backdate.environments.lock_wheels import LockedSdist, WheelFile
from backdate.environments.stated_metadata import metadata_settings

SDIST = LockedSdist(name="termcolor", version="1.1.0", sha256="0" * 64, lock="")
HEAD = "Metadata-Version: 2.1\nName: termcolor\nVersion: 1.1.0\n"


def of_wheel(folder: Path, *metadata: str) -> BuiltSdist | None:
    path = folder / "termcolor-1.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for number, text in enumerate(metadata):
            archive.writestr(f"termcolor{number or ''}-1.1.0.dist-info/METADATA", text)
    return read_built(SDIST, WheelFile(path=path, sha256="1" * 64))


def test_requirements_reach_uv_as_they_are(tmp_path: Path) -> None:
    text = f"{HEAD}Requires-Python: >=3.6\nRequires-Dist: six >=1.0 ; extra == 'old'\nProvides-Extra: old\n"
    built = of_wheel(tmp_path, text)
    assert built is not None
    (table,) = tomllib.loads(metadata_settings([built.metadata]))["dependency-metadata"]
    assert table == {
        "name": "termcolor",
        "version": "1.1.0",
        "requires-dist": ['six>=1.0; extra == "old"'],
        "provides-extra": ["old"],
        "requires-python": ">=3.6",
    }


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (HEAD, HEAD),
        ("Name: termcolor\n",),
        (HEAD.replace("termcolor", "colour"),),
        (HEAD.replace("1.1.0", "1.2"),),
        (f"{HEAD}Requires-Dist: six @ https://example.org/six-1.0-py3-none-any.whl\n",),
        (f"{HEAD}Requires-Dist: six; import os\n",),
        (f"{HEAD}Requires-Python: three\n",),
        (f"{HEAD}Name: six\n",),
        (f"{HEAD}Summary: {'x' * 2_000_000}\n",),
    ],
)
def test_what_is_not_sound_or_of_another_or_names_an_address_is_not_believed(
    tmp_path: Path, metadata: tuple[str, ...]
) -> None:
    assert of_wheel(tmp_path, *metadata) is None


def test_a_broken_wheel_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "termcolor-1.1.0-py3-none-any.whl"
    path.write_bytes(b"no archive")
    assert read_built(SDIST, WheelFile(path=path, sha256="1" * 64)) is None
