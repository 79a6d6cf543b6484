"""What a build step that runs foreign code may write to, besides the one environment that it makes.

It works on a private view of uv's cache: it reads what is there, and what it changes lies in a folder of its
own, which is removed afterwards. So nothing that it leaves is ever used for another environment, but a wheel
that was built alone in a view (``wheel_store.py``).
The steps of one environment share a view: what was fetched to find a project's requirements serves to
build it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.environments.incidents import BuildIncident, changed_entries, left_behind
from backdate.environments.references.stated import Stated
from backdate.environments.references.supply import ReferenceSupply
from backdate.sandboxes.interface import Mount
from backdate.sandboxes.scratch import scratch_folder


class PrivateView(contextlib.AbstractContextManager["PrivateView"]):
    """Folders for the foreign code of one environment; made when first asked for, removed at the end."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._stack = contextlib.ExitStack()
        self._made: Path | None = None
        self.supplies: dict[Stated, ReferenceSupply] = {}
        """What was fetched for the steps so far, by what they name."""
        self._incidents: list[BuildIncident] = []
        self._uv_cache: Path | None = None

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    @property
    def _folder(self) -> Path:
        if self._made is None:
            self._made = self._stack.enter_context(scratch_folder(self._cache.builds))
        return self._made

    @property
    def handed_over(self) -> Path:
        """Where steps leave files for backdate to read, and what no later step needs."""
        folder = self._folder / "handed-over"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def references(self) -> Path:
        """Where repositories lie as builds see them; only downloads of ours write there."""
        folder = self._folder / "references"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def environment(self) -> Path:
        """Where an environment is made that nobody keeps."""
        return self._folder / "environment"

    @property
    def changed(self) -> Path:
        """What foreign code changed of uv's cache, to be read when nothing runs there any more; hostile.

        Nothing is there where the sandbox has no private views.
        """
        folder = self._folder / "changes"
        view = folder / "view"  # nothing lies in it, seen from here, where it was laid over the cache
        return view if view.is_dir() and any(view.iterdir()) else folder / "upper"

    def note_left_behind(self, processes: int) -> None:
        """A step of the build left so many processes, which are gone."""
        self._incidents += left_behind(processes)

    def incidents(self) -> tuple[BuildIncident, ...]:
        """What was seen of the steps so far, of which none runs any more."""
        changed = () if self._uv_cache is None else changed_entries(self.changed, self._uv_cache)
        return (*self._incidents, *changed)

    def mounts(self, uv_cache: Path) -> tuple[Mount, ...]:
        """The view of ``uv_cache`` at its own path, and the folder to hand over in."""
        self._cache.make_clean(uv_cache)
        self._uv_cache = uv_cache
        changes = self._folder / "changes"
        changes.mkdir(exist_ok=True)
        out = self.handed_over
        return (
            Mount(source=uv_cache, target=str(uv_cache), writable=True, changes=changes, own=True),
            Mount(source=out, target=str(out), writable=True, own=True),
        )
