"""What a set-up script states as requirements."""

from __future__ import annotations

from pathlib import Path

from backdate.environments.script_requirements import stated_requirements


def test_words_files_and_extras_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "setup.sh").write_text(
        "#!/bin/bash\nset -e\npip install 'six<2' pytest\npip install -r a/dev.txt -c limits.txt\n"
        "python -m pip install -e '.[Tests,docs]'\necho done\n"
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "dev.txt").write_text(
        "-r ../base.txt\nattrs==20.1 --hash=sha256:0  # why\n-r dev.txt\n-e .\n--index-url x\nnot one !\n"
    )
    (tmp_path / "base.txt").write_text("click>=7; python_version > '3'\n-r missing.txt\n-r /etc/passwd\n")
    (tmp_path / "limits.txt").write_text("idna<3\n")
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='Own_Name')\n")
    requirements, extras = stated_requirements(tmp_path, "setup.sh")
    assert {str(one) for one in requirements} == {
        *("six<2", "pytest", "attrs==20.1", 'click>=7; python_version > "3"', "idna<3"),
    }
    assert extras == {"own-name": frozenset({"tests", "docs"})}


def test_what_is_not_understood_is_left_out(tmp_path: Path) -> None:
    assert stated_requirements(tmp_path, "setup.sh") == ((), {})
    (tmp_path / "setup.sh").write_text('pip install $(cat x) "$NAME" git+https://a.example/b.git\n')
    assert stated_requirements(tmp_path, "setup.sh") == ((), {})
