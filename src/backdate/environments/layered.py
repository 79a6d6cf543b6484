"""Environments in two layers: the dependencies below, which many share, and the project on top.

The lower layer is a function of the lock of everything but the project. It is built without the project's
tree, and the steps that build the project see it read-only. The upper layer is built from the tree, or made
from that of another tree where nothing has to be built (``project_layer.py``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, DependencyLayer, Environment
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.layers import LayersCollide, add_links
from backdate.environments.new_modules import follow_modules
from backdate.environments.packaging_inputs import PackagingInputs
from backdate.environments.private_view import PrivateView
from backdate.environments.project_layer import ProjectLayer, derive, read_copies
from backdate.environments.same_metadata import OtherMetadata, metadata_of_project
from backdate.environments.stated_metadata import StatedMetadata
from backdate.environments.steps import Resolution, Steps
from backdate.errors import ConfigurationError

Build = Callable[[Path], Environment | BuildFailure]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredBuild:
    """All that the upper layer of one environment is made from."""

    finished: FinishedEnvironments
    steps: Steps
    request: EnvironmentRequest
    resolution: Resolution
    project_lock: str
    """The part of the lock that is built from the tree (PEP 751)."""
    inputs: PackagingInputs | None
    """None where the layer is a function of the whole tree."""
    view: PrivateView
    key: str
    """Of the environment."""
    layer_key: str
    """Of what all trees with the same packaging inputs share."""
    expected_metadata: StatedMetadata | None = None
    """What the build has to say of itself (``same_metadata.py``); None where the tree was resolved itself."""

    def make(self, root: Path, lower: Environment, build_whole: Build) -> Environment | BuildFailure:
        """The environment on top of ``lower``, at ``root``; by ``build_whole`` where it cannot be two layers.

        Raises as ``Builder.prepare`` does, and OtherMetadata when the build does not say what is expected.
        """
        started = time.monotonic()
        if self.inputs is None:
            return self._build(root, lower, build_whole, started)
        with self.cache.guard(
            self.layer_key
        ):  # who asks for another edit of the tree waits, and need not build
            layer = self.cache.read(ProjectLayer, "layers", self.layer_key)
            if layer is not None and layer.collision:
                return build_whole(root)
            if layer is not None and self._derive(layer, root):
                return self._environment(root, lower, started)
            return self._build(root, lower, build_whole, started)

    def derived(self, root: Path, lower: Environment) -> Environment | None:
        """The environment at ``root``, made from that of another tree; None where it has to be built."""
        started = time.monotonic()
        layer = None if self.inputs is None else self.cache.read(ProjectLayer, "layers", self.layer_key)
        if layer is None or layer.collision or not self._derive(layer, root):
            return None
        return self._environment(root, lower, started)

    def _derive(self, layer: ProjectLayer, root: Path) -> bool:
        """Make the layer from the one that ``layer`` tells of; False where it has to be built."""
        made_from = layer.root.name
        if self.inputs is None or layer.copies is None or layer.root == root:
            return False
        if not self.cache.has("records", made_from) or not self.finished.is_as_made(made_from, layer.root):
            return False
        copies = follow_modules(layer.copies, layer.modules, self.inputs.modules, self.inputs.packages)
        if copies is None:
            return False
        try:
            modules = derive(layer, copies, self.request.tree, self.request.at, root)
        except (FileNotFoundError, ConfigurationError):  # somebody removes it to make room
            modules = None
        # Whoever removes an environment begins with its record: while that is there the folder is whole.
        if modules is None or not self.cache.has("records", made_from):
            self.cache.discard(root)
            return False
        if modules and self.steps.compile(self.request, root, self._log) is not None:
            self.cache.discard(root)
            return False  # building it anew tells why
        return True

    def _build(
        self, root: Path, lower: Environment, build_whole: Build, started: float
    ) -> Environment | BuildFailure:
        failure = self.steps.install(
            self.request, self.project_lock, root, self._log, shared=True, view=self.view, below=lower.root
        )
        if self.expected_metadata is not None:
            stated = None if failure is not None else metadata_of_project(root, self.resolution.lock)
            if stated != self.expected_metadata:
                raise OtherMetadata
        if failure is not None:
            return failure
        tree, at = self.request.tree, self.request.at
        copies = None if self.inputs is None else read_copies(root, tree, self.inputs.free)
        collision = ""
        try:
            add_links(lower.root, root)
        except LayersCollide as error:
            collision = str(error)
        if self.inputs is not None:
            layer = ProjectLayer(
                root=root, at=at, copies=copies, modules=self.inputs.modules, collision=collision
            )
            self.cache.write("layers", self.layer_key, layer)
        if collision:
            self.cache.discard(root)
            return build_whole(root)
        return self._environment(root, lower, started)

    @property
    def cache(self) -> Cache:
        """Where the layers are kept."""
        return self.finished.cache

    @property
    def _log(self) -> Path:
        return self.cache.logs / f"{self.key}.install.log"

    def _environment(self, root: Path, lower: Environment, started: float) -> Environment:
        return Environment(
            key=self.key,
            root=root,
            choice=self.request.choice,
            lock=self.resolution.lock,
            build_s=time.monotonic() - started + (0.0 if lower.reused else lower.build_s),
            reused=False,
            log=self._log,
            base=self.request.base,
            network=self.steps.network,
            replaced=lower.replaced,
            dependencies=DependencyLayer(key=lower.key, root=lower.root, reused=lower.reused),
        )
