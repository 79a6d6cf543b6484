"""What of a candidate's actions a recipe holds."""

from pathlib import Path

from backdate.recipes.extract import extract_recipes

SANITIZED = """\
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v3
      - run: pip install .
        env: {THING_SANITIZE: "true", CFLAGS: "-g -fsanitize=address", THING_COVERAGE: "1"}
      - run: pytest
        env: {ASAN_OPTIONS: "detect_leaks=0", USE_UBSAN: "1", SANTA: "2"}
"""


def test_nothing_is_built_for_a_sanitizer(tmp_path: Path) -> None:
    files = {
        ".github/workflows/ci.yml": SANITIZED,
        "setup.py": "from setuptools import setup\nsetup(name='x')\n",
        "test_a.py": "def test_a(): pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    recipe = extract_recipes(tmp_path).candidates[0]
    assert [variable.name for variable in recipe.variables] == ["THING_COVERAGE", "SANTA"]
    assert dict(recipe.test.environment).keys() == {"THING_COVERAGE", "SANTA"}
