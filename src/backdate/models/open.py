"""Open the model that a user named; no other module chooses one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backdate.models.answers import AnswerStore, RememberingModel
from backdate.models.model_name import Endpoint
from backdate.models.openai_endpoint import OpenAIModel
from backdate.models.settings import ModelSettings
from backdate.models.usage import CountingModel


@contextmanager
def open_model(
    endpoint: Endpoint, settings: ModelSettings | None = None, *, answers: Path | None = None
) -> Iterator[CountingModel]:
    """The model at ``endpoint``, with its usage counted; ``answers`` (a file) caches its replies.

    Raises UsageError when the ``openai`` package is missing, and what ``AnswerStore`` raises.
    """
    settings = settings or ModelSettings()
    model = OpenAIModel(endpoint, settings)
    try:
        if answers is None:
            yield CountingModel(model)
            return
        store = AnswerStore(answers)
        try:
            yield CountingModel(
                RememberingModel(
                    model, store, specification=endpoint.specification, sampling=settings.sampling
                )
            )
        finally:
            store.close()
    finally:
        model.close()
