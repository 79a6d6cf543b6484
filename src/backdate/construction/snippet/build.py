"""``backdate snippets build``: from two versions of a library to a data set of proven snippets.

Nothing of an archive is imported; what is drawn from it runs in the sandbox only. Every step's result is kept
by what it depends on, so that a build that was stopped, or is asked for again, goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.resources import Resources
from backdate.construction.snippet.alike import without_duplicates
from backdate.construction.snippet.archives import ReadArchive, archive_modules, archive_of, read_archive
from backdate.construction.snippet.assemble import snippet_of
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.changes import (
    LibraryChanges,
    changes_between,
    mined_rows,
    modules_for_values,
)
from backdate.construction.snippet.chosen_cases import RefusedSnippet
from backdate.construction.snippet.class_members import changed_members
from backdate.construction.snippet.kept import KeptResults
from backdate.construction.snippet.model_rounds import ModelRounds, WrittenSnippets
from backdate.construction.snippet.module_code import ModuleCode
from backdate.construction.snippet.plan import SnippetBuildPlan, release_of
from backdate.construction.snippet.proving import ProofResult, ProvenSnippet, SnippetProver
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.snippet_funnel import SnippetFunnel, counted
from backdate.construction.snippet.usages import DrawnSnippet
from backdate.construction.snippet.used_names import names_used
from backdate.diagnosis.api import AskedPython
from backdate.errors import SourceError, UsageError
from backdate.knowledge.change_rows import ChangesFile
from backdate.knowledge.rules import rules_in, rules_of
from backdate.models.interface import Model
from backdate.progress import NO_PROGRESS, Activity, Remark, Reporter
from backdate.projects.sources.listing import ListedFile
from backdate.serial import digest
from backdate.snippets.environments import SnippetEnvironments
from backdate.snippets.runs import ProgramRunner
from backdate.snippets.snippet import Snippet, SnippetSide
from backdate.snippets.versions import STANDARD_LIBRARY
from backdate.snippets.warm.runner import NoSnippetEnvironment, WarmRunner
from backdate.timeline.instants import now
from backdate.version import __version__

_BATCH = 96
"""Functions that are run together: those with the same imports share a process."""
_MOST_TRIED = 12
"""Functions of one name that are run; four times as many of an attribute, which other objects have too."""
_FORMAT = (2, __version__)
"""In the key of what is kept: another version reads and runs again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSnippets:
    """What a build gives."""

    snippets: tuple[Snippet, ...]
    funnel: SnippetFunnel


def build_snippets(
    resources: Resources,
    plan: SnippetBuildPlan,
    folder: Path,
    *,
    model: Model | None = None,
    progress: Reporter = NO_PROGRESS,
) -> BuiltSnippets:
    """The proven snippets of ``plan``; what was found out on the way is kept in ``folder``.

    ``model``: asked for functions of changed names of which no drawn one is proven.

    Raises UsageError where one of the environments cannot be made, SourceError, IndexUnavailable and
    SandboxUnavailable.
    """
    environments = SnippetEnvironments(resources, progress=progress)
    origin, target = (_made(environments, side) for side in (plan.origin, plan.target))
    runner = WarmRunner(resources.sandbox, environments)
    building = _Building(resources=resources, plan=plan, kept=KeptResults(folder=folder), progress=progress)
    changes = building.changes(origin, target, runner)
    modules = modules_for_values(resources.sandbox, origin, target)
    read = list(building.archives(changes.names, modules))
    dropped = [use for archive in read for use in archive.dropped]
    drawn = [one for archive in read for one in archive.drawn]
    unique, again = without_duplicates(drawn)
    changed = {one.key: one for one in changes.names}
    proofs = building.proofs(runner, unique, changed)
    proven = [one for one in proofs if isinstance(one, ProvenSnippet)]
    written = building.written(runner, model, changed, {one.drawn.names[0] for one in proven})
    proven += written.proven
    reasons = [*written.refused, *(use.why.reason for use in dropped)] + [SnippetReason.DUPLICATE] * again
    reasons += [one.reason for one in proofs if isinstance(one, RefusedSnippet)]
    funnel = SnippetFunnel(
        names=len(changes.names),
        names_from_rules=changes.from_rules,
        names_mined=changes.mined,
        names_asked=changes.asked,
        names_unchanged=changes.unchanged,
        archives=len(read),
        archives_refused=sum(bool(archive.refused) for archive in read),
        found=len(drawn) + len(dropped),
        asked_of_model=len(written.proven) + len(written.refused),
        written_by_model=len(written.proven),
        dropped=counted(reasons),
        kept=len(proven),
        names_kept=len({one.drawn.names[0] for one in proven}),
    )
    return BuiltSnippets(snippets=building.rows(proven, changes.names), funnel=funnel)


def _made(environments: SnippetEnvironments, side: SnippetSide) -> AskedPython:
    made = environments.of(side)
    if isinstance(made, NoSnippetEnvironment):
        raise UsageError(f"there is no environment with {', '.join(side.requirements)}: {made.why}")
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProof:
    """What became of one drawn snippet: one of the two."""

    proven: ProvenSnippet | None = None
    refused: RefusedSnippet | None = None

    @property
    def result(self) -> ProofResult:
        """Whichever it is."""
        result = self.proven or self.refused
        assert result is not None
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class _Building:
    """The steps of one build."""

    resources: Resources
    plan: SnippetBuildPlan
    kept: KeptResults
    progress: Reporter

    @property
    def _downloads(self) -> Path:
        return self.resources.cache.downloads / "mined"

    @property
    def _top(self) -> str:
        """The package that the library is imported as."""
        library = self.plan.library
        if library == STANDARD_LIBRARY:
            return library
        modules = self.resources.index_facts.modules(library, self.plan.origin.instant or now())
        usual = library.replace("-", "_")
        tops = sorted({module.partition(".")[0] for module in modules if not module.startswith("_")})
        return usual if usual in tops or not tops else tops[0]

    def changes(self, origin: AskedPython, target: AskedPython, runner: ProgramRunner) -> LibraryChanges:
        """The changed names, from every source."""
        library = self.plan.library
        old, new = str(release_of(self.plan.origin)), str(release_of(self.plan.target))
        self.progress.report(Activity(text=f"reading what {library} {old} to {new} changed"))
        key = digest("mined rows", _FORMAT, library, old, new)
        mined = self.kept.get(ChangesFile, key)
        if library == STANDARD_LIBRARY:  # it has no releases on the index
            mined = ChangesFile(distribution=library, origin="mined", change=())
        if mined is None:
            mined = mined_rows(self.resources.index, library, old, new, cache=self._downloads)
            self.kept.put(key, mined)
        used = names_used(self._modules(), self._top)
        self.progress.report(Activity(text=f"asking both environments about {len(used.dotted)} names"))
        members = changed_members(
            runner, self.plan.origin, self.plan.target, names=used.dotted, attributes=used.attributes
        )
        return changes_between(
            self.resources.sandbox,
            origin,
            target,
            rules=rules_of(library, old=old, new=new),
            mined=rules_in(mined),
            used=used.dotted,
            members=members,
            later=rules_of(library, old=old),
        )

    def _modules(self) -> Iterator[ModuleCode]:
        """What is parsed of every archive that is read."""
        top = self._top
        for distribution, file in self._files():
            own = distribution == self.plan.library
            if file is None:
                continue  # told when uses are read
            try:
                yield from archive_modules(file, self._downloads, library=top, of_library=own)
            except SourceError:
                continue  # told when its uses are read

    def _files(self) -> Iterator[tuple[str, ListedFile | None]]:
        """The library's own archive of the origin, then others' as they were then: they use what goes.

        None for a distribution of which the index has none from that time.
        """
        version = release_of(self.plan.origin)
        of_index = () if self.plan.library == STANDARD_LIBRARY else (self.plan.library,)
        for distribution in (*of_index, *self.plan.usages_from):
            own = distribution == self.plan.library
            before = None if own else self.plan.usages_before
            try:
                file = archive_of(
                    self.resources.index, distribution, version=version if own else None, before=before
                )
            except SourceError:
                file = None
            yield distribution, file

    def archives(self, names: Sequence[ChangedApi], modules: frozenset[str]) -> Iterator[ReadArchive]:
        """The uses in each archive."""
        for distribution, file in self._files():
            if file is None:
                read = ReadArchive(distribution=distribution, refused="the index has no archive of that time")
            else:
                self.progress.report(Activity(text=f"reading uses in {distribution}"))
                read = self._read(file, distribution, names, modules)
            if read.refused:
                self.progress.report(Remark(text=f"{distribution} is left out: {read.refused}"))
            yield read

    def _read(
        self, file: ListedFile, distribution: str, names: Sequence[ChangedApi], modules: frozenset[str]
    ) -> ReadArchive:
        """What an archive holds of uses, kept."""
        top = self._top
        searched = sorted(one.key for one in names)
        key = digest("read archive", _FORMAT, file.sha256 or file.url, top, searched, sorted(modules))
        read = self.kept.get(ReadArchive, key)
        if read is None:
            own = distribution == self.plan.library
            read = read_archive(
                file,
                distribution,
                names,
                library=top,
                of_library=own,
                modules=modules,
                cache=self._downloads,
            )
            self.kept.put(key, read)
        return read

    def proofs(
        self, runner: ProgramRunner, drawn: Sequence[DrawnSnippet], changed: dict[str, ChangedApi]
    ) -> list[ProofResult]:
        """What became of each; of a name that has enough the rest is not run."""
        prover = SnippetProver(runner, self.plan.origin, self.plan.target, changed, self._top)
        done: list[ProofResult] = []
        enough: Counter[str] = Counter()
        tried: Counter[str] = Counter()
        waiting = _spread(drawn)
        while waiting:
            batch: list[DrawnSnippet] = []
            while waiting and len(batch) < _BATCH:
                one = waiting.pop(0)
                if enough[one.names[0]] >= self.plan.most_of_name:
                    done.append(RefusedSnippet(drawn=one, reason=SnippetReason.ENOUGH))
                elif tried[one.names[0]] >= _MOST_TRIED * (1 + 3 * one.names[0].startswith(".")):
                    done.append(RefusedSnippet(drawn=one, reason=SnippetReason.MANY_TRIED))
                else:
                    tried[one.names[0]] += 1
                    batch.append(one)
            self.progress.report(Activity(text=f"running {len(batch)} functions, {len(waiting)} wait"))
            for result in self._proven(prover, batch, changed):
                name = result.drawn.names[0]
                if isinstance(result, ProvenSnippet):
                    if enough[name] >= self.plan.most_of_name:
                        done.append(RefusedSnippet(drawn=result.drawn, reason=SnippetReason.ENOUGH))
                        continue
                    enough[name] += 1
                done.append(result)
        return done

    def written(
        self,
        runner: ProgramRunner,
        model: Model | None,
        changed: dict[str, ChangedApi],
        having: Collection[str],
    ) -> WrittenSnippets:
        """What a model writes for the names that none of ``having`` is."""
        if model is None:
            return WrittenSnippets(proven=(), refused=())
        prover = SnippetProver(runner, self.plan.origin, self.plan.target, changed, self._top)
        rounds = ModelRounds(
            model=model,
            plan=self.plan,
            library=self._top,
            prove=lambda drawn: self._proven(prover, drawn, changed),
            progress=self.progress,
        )
        left = [one for key, one in changed.items() if key not in having]
        return rounds.write(left[: self.plan.most_asked])

    def _proven(
        self, prover: SnippetProver, batch: Sequence[DrawnSnippet], changed: dict[str, ChangedApi]
    ) -> list[ProofResult]:
        """What became of each, in their order."""
        keys = {}
        results: dict[str, ProofResult] = {}
        for one in batch:
            rewrites = [repr(changed[name].rewrites) for name in one.names]
            keys[one] = digest("snippet proof", _FORMAT, one, self.plan.origin, self.plan.target, rewrites)
            known = self.kept.get(KeptProof, keys[one])
            if known is not None:
                results[keys[one]] = known.result
        left = [one for one in batch if keys[one] not in results]
        for result in prover.prove(left) if left else ():
            key = keys[result.drawn]
            results[key] = result
            proven = result if isinstance(result, ProvenSnippet) else None
            refused = result if isinstance(result, RefusedSnippet) else None
            if (
                refused is None or refused.reason is not SnippetReason.NOT_ENDED
            ):  # a busy machine is no finding
                self.kept.put(key, KeptProof(proven=proven, refused=refused))
        return [results[keys[one]] for one in batch]

    def rows(self, proven: Sequence[ProvenSnippet], names: Sequence[ChangedApi]) -> tuple[Snippet, ...]:
        """The rows of a data set, in the order of their names."""
        changed = {one.key: one for one in names}
        counts: Counter[str] = Counter()
        made: list[Snippet] = []
        for one in sorted(proven, key=lambda one: (one.drawn.names[0], one.drawn.code)):
            leaf = changed[one.drawn.names[0]].key
            stem = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in leaf).strip(
                "-."
            )
            counts[stem] += 1
            made.append(
                snippet_of(
                    one,
                    f"{self.plan.library}-{stem}-{counts[stem]}",
                    library=self.plan.library,
                    origin=self.plan.origin,
                    target=self.plan.target,
                    changed=changed,
                )
            )
        return tuple(made)


def _spread(drawn: Sequence[DrawnSnippet]) -> list[DrawnSnippet]:
    """The first of every name, then the second of every name, and on."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, int, DrawnSnippet]] = []
    for position, one in enumerate(drawn):
        ranked.append((seen[one.names[0]], position, one))
        seen[one.names[0]] += 1
    return [one for _, _, one in sorted(ranked, key=lambda entry: entry[:2])]
