"""The phases of SetupAgent (arXiv 2503.07701, section 3), each one question.

Choose files from the list, follow links inside the repository (and outside, with a reader of the web),
extract commands; after a failure classify the error, then ask for the change that belongs to its class. The
paper's own prompts are not used, and what it executes as text is parsed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backdate.recipes.adviser import prompts
from backdate.recipes.adviser.formats import (
    WrongFormat,
    read_choice,
    read_group,
    read_minor,
    read_text,
    read_texts,
)
from backdate.recipes.adviser.interview import Interview
from backdate.recipes.adviser.material import as_data, find_links, list_files, show_files, show_log
from backdate.recipes.adviser.recipe_of_commands import change_recipe, make_recipe
from backdate.recipes.adviser.web import Unread, WebReader
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe
from backdate.recipes.render import as_shell_script
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass, ErrorGroup
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.text import minor_version
from backdate.timeline.instants import Instant, format_day

_MOST_FILES = 8
_MOST_LINKS = 4
_MOST_TOLD = 12
_RULE = "adviser, phases of SetupAgent"
_CLASSES = {
    ErrorGroup.PYTHON: ErrorClass.WRONG_INTERPRETER,
    ErrorGroup.INSTALLATION: ErrorClass.UNKNOWN,
    ErrorGroup.TESTING: ErrorClass.TESTS_FAIL,
}


class SetupAgent:
    """The phases, for one project. ``web`` reads external pages; None for none."""

    def __init__(self, interview: Interview, *, who: str, instant: Instant, web: WebReader | None) -> None:
        self._interview = interview
        self._who = who
        self._day = format_day(instant)
        self._web = web
        self._chosen: tuple[str, ...] = ()
        self._tried: list[str] = []

    def recipes(self, root: Path) -> tuple[Recipe, ...]:
        """The recipe that the model reads from the files: at most one."""
        files = Files(root)
        listing = list_files(files)
        if not listing:
            return ()
        offered = prompts.CHOOSE_FILES.format(
            most=_MOST_FILES, listing=as_data("files", "\n".join(listing), most=30_000)
        )
        chosen = self._interview.ask(
            "files",
            prompts.SETUPAGENT_SYSTEM,
            offered,
            lambda answer: read_choice(answer, "files", listing, most=_MOST_FILES),
        )
        if not chosen:
            return ()
        inside, pages = self._linked(files, chosen)
        self._chosen = (*chosen, *inside)
        text = prompts.EXTRACT_COMMANDS.format(files=show_files(files, self._chosen, pages), day=self._day)
        made = self._interview.ask(
            "commands", prompts.SETUPAGENT_SYSTEM, text, lambda answer: self._recipe(answer, root)
        )
        return () if made is None else (made,)

    def _recipe(self, answer: dict[str, object], root: Path) -> Recipe:
        python = read_minor(answer, "python")
        return make_recipe(
            root,
            who=self._who,
            phase="commands that it read from the files",
            install=read_texts(answer, "install"),
            test=read_texts(answer, "test"),
            pythons=(python,) if python else (),
        )

    def _linked(
        self, files: Files, chosen: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """(further files, pages) behind the links that the model finds worth following."""
        inside, outside = find_links(files, chosen)
        offered = (*inside, *(outside if self._web is not None else ()))
        if not offered:
            return (), ()
        text = prompts.CHOOSE_LINKS.format(
            most=_MOST_LINKS, listing=as_data("links", "\n".join(offered), most=30_000)
        )
        links = self._interview.ask(
            "links",
            prompts.SETUPAGENT_SYSTEM,
            text,
            lambda answer: read_choice(answer, "links", offered, most=_MOST_LINKS),
        )
        pages: list[tuple[str, str]] = []
        for link in links or ():
            if link in inside or self._web is None:
                continue
            page = self._web.read(link)
            if isinstance(page, Unread):
                self._interview.note("web", "nothing-read", f"{page.url}: {page.reason}")
            else:
                self._interview.note("web", "answered", page.url)
                pages.append((page.url, page.text))
        return tuple(link for link in links or () if link in inside), tuple(pages)

    def propose(self, failure: SetupFailure, recipe: Recipe, root: Path) -> Repair | None:
        """The change that the model proposes; None when it has none that can be followed."""
        about = {
            "day": self._day,
            "python": failure.python,
            "recipe": as_data("recipe", as_shell_script(recipe)),
            "phase": failure.phase,
            "status": failure.status,
            "log": show_log(failure.text),
        }
        group = self._interview.ask(
            "classify", prompts.SETUPAGENT_SYSTEM, prompts.CLASSIFY.format(**about), read_group
        )
        if group is None:
            return None
        if group is ErrorGroup.UNDECIDABLE:
            self._interview.note("repair", "undecidable", "no change could help, says the model")
            return None
        about["files"] = show_files(Files(root), self._chosen) if self._chosen else ""
        about["tried"] = self._told()
        repair = self._repair(group, about, failure, recipe, root)
        if repair is not None:
            self._tried.append(f"{group}: {repair.reason}"[:300])
        return repair

    def _told(self) -> str:
        if not self._tried:
            return ""
        lines = "\n".join(self._tried[-_MOST_TOLD:])
        return (
            f"These changes were tried before and did not do: propose another.\n{as_data('changes', lines)}"
        )

    def _repair(
        self, group: ErrorGroup, about: dict[str, str], failure: SetupFailure, recipe: Recipe, root: Path
    ) -> Repair | None:
        minors = _minors(failure)

        def read(answer: dict[str, object]) -> Repair:
            reason = " ".join(read_text(answer, "reason")[:300].split()) or "no reason given"
            changed, python = recipe, None
            if group is ErrorGroup.PYTHON:
                python = read_minor(answer, "python", minors)
                if python is None:
                    raise WrongFormat('"python" is missing')
            elif group is ErrorGroup.INSTALLATION:
                changed = change_recipe(recipe, root, who=self._who, install=read_texts(answer, "install"))
            else:
                changed = change_recipe(recipe, root, who=self._who, test=read_texts(answer, "test"))
            return Repair(
                recipe=changed,
                error=_error(group, failure),
                rule=_RULE,
                reason=f"{group}: {reason}",
                interpreter=python,
            )

        prompt = {
            ErrorGroup.PYTHON: prompts.REPAIR_PYTHON,
            ErrorGroup.INSTALLATION: prompts.REPAIR_INSTALLATION,
            ErrorGroup.TESTING: prompts.REPAIR_TESTING,
        }[group]
        text = prompt.format(**about, pythons=", ".join(minors))
        return self._interview.ask("repair", prompts.SETUPAGENT_SYSTEM, text, read)


def _error(group: ErrorGroup, failure: SetupFailure) -> ErrorClass:
    """The class that the rules see, unless the model says that it belongs to another group."""
    seen = classify(failure)
    return seen if seen.group is group else _CLASSES[group]


def _minors(failure: SetupFailure) -> tuple[str, ...]:
    """The interpreters that may be taken instead, as "3.8"."""
    minors = (minor_version(version) for version in failure.pythons)
    return tuple(dict.fromkeys(minor for minor in minors if minor != minor_version(failure.python)))
