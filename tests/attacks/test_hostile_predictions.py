"""Who sends predictions puts half a character into one, so that the others are not read either."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backdate.evaluation.predictions import read_predictions

GOOD = {"instance_id": "good", "model_name_or_path": "m", "model_patch": "--- a\n+++ a\n"}


@pytest.mark.parametrize("key", ["instance_id", "model_name_or_path", "model_patch"])
@pytest.mark.parametrize("form", ["list", "lines"])
def test_half_a_surrogate_pair_is_named_and_spoils_one_entry(tmp_path: Path, key: str, form: str) -> None:
    entries = [{**GOOD, key: "x\ud83d"}, GOOD, {**GOOD, "instance_id": "whole", "model_patch": "\U0001f600"}]
    path = tmp_path / "predictions"
    path.write_text(json.dumps(entries) if form == "list" else "\n".join(map(json.dumps, entries)))
    read = read_predictions(path)
    assert [entry.instance_id for entry in read.found] == ["good", "whole"]
    assert len(read.problems) == 1
    assert "holds U+D83D" in read.problems[0]
