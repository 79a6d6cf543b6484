"""The code of one sdist writes the wheel of another one, which backdate keeps and gives to other projects.

While ``first`` is built it puts a wheel of ``second`` wherever uv keeps what it built, and into its own place
under the other's name; another project that needs ``second`` alone comes afterwards.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, poisoned, project, request_for, sdist

# The word is in what is planted only, not in the sdist itself, of which the cache has a copy.
PLANT = """
cache = pathlib.Path(os.environ["UV_CACHE_DIR"])
name = "second-1-py3-none-any.whl"
planted = 0
for bucket in cache.glob("sdists-v*"):
    places = [one for one in bucket.glob("index/*") if one.is_dir()] + [bucket / "pypi"]
    for place in places:
        for folder in (place / "second" / "1" / "planted", place / "first" / "1" / "planted"):
            folder.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(folder / name, "w") as wheel:
                wheel.writestr("second.py", "POI" + "SON = 1")
                wheel.writestr("second-1.dist-info/METADATA", METADATA.replace("first", "second"))
                wheel.writestr("second-1.dist-info/WHEEL", WHEEL)
                wheel.writestr("second-1.dist-info/RECORD", "")
            planted += 1
assert planted, "the attack reaches nothing"
for one in cache.rglob("second-1*.whl"):
    one.write_bytes(one.read_bytes() + b"POI" + b"SON")
"""


@pytest.mark.slow
def test_the_other_one_is_as_it_was_built(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    first = project(sources / "first", PLANT, name="first", resolving=PLANT)
    files = {
        "first-1.tar.gz": sdist(first),
        "second-1.tar.gz": sdist(project(sources / "second", name="second")),
    }
    cache = tmp_path / "cache"
    with builder_in(cache, files) as builder:
        both = project(tmp_path / "both", name="both", requires=("first", "second"))
        (named,) = built(builder.prepare(request_for(both, builder.cache))).incident_notes
        # One beside each index that uv has seen, of which the number says nothing.
        assert re.fullmatch(r"the build of first 1 left \d wheels of another name; none is taken", named)
        wheels = sorted(path.name for path in (cache / "built" / "wheels").rglob("*.whl"))
        assert wheels == ["first-1-py3-none-any.whl", "second-1-py3-none-any.whl"]
        alone = project(tmp_path / "alone", name="alone", requires=("second",))
        later = built(builder.prepare(request_for(alone, builder.cache)))
    assert poisoned(cache) == []
    assert later.dependencies is not None
    assert later.incidents == ()
    assert list(later.dependencies.root.rglob("second.py"))
    assert len(list((cache / "built" / "wheels").rglob("*.whl"))) == 2, "it was built again"
