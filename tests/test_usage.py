"""Tokens: which records count, whose work they were, and what each answer of the model used."""

from __future__ import annotations

import pytest

from rollout_ls.formats.statement import Tokens
from rollout_ls.projection.usage import SessionUsage
from rollout_ls.text import buffer as buffer_module
from rollout_ls.workspace.document import Change, Document
from rollouts import BORN, PARENT, Rollout, Usage, turn_id

T1, T2, T3 = turn_id(1), turn_id(2), turn_id(3)
OLD = turn_id(1, before=1)


def used(roll: Rollout) -> tuple[SessionUsage, list[int], dict[int, str]]:
    """(usage, counted lines, why by line that is left out)."""
    told = roll.told()
    usage = told.session.usage
    counted = [told.number(step.ref) for step in usage.steps]
    return usage, counted, {told.number(left.ref): left.why for left in usage.left_out}


def test_each_change_of_the_total_counts_its_last_usage() -> None:
    roll = Rollout()
    roll.start(T1)
    one = roll.count(Usage(1000, 0, 100, 40), Usage(1000, 0, 100, 40))
    repeat = roll.count(Usage(1000, 0, 100, 40), Usage(1000, 0, 100, 40))
    two = roll.count(Usage(2500, 900, 180, 60), Usage(1500, 900, 80, 20))
    usage, counted, left = used(roll)
    assert usage.own == Tokens(2500, 900, 180, 60, 2680)
    assert (counted, left) == ([one, two], {repeat: "repeat"})
    assert f"repeat of line {one}, not counted" in roll.told().hover(repeat)


def test_two_answers_alike_are_two() -> None:
    roll = Rollout()
    roll.start(T1)
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10))
    roll.count(Usage(200, 0, 20), Usage(100, 0, 10))
    assert used(roll)[0].own.total == 220


def test_a_total_without_last_usage_counts_the_difference() -> None:
    roll = Rollout()
    roll.start(T1)
    for total in (Usage(100, 0, 10), Usage(350, 100, 30)):
        line = roll.count(total, Usage())
        roll.lines[line - 1] = roll.lines[line - 1].replace(b'"last_token_usage"', b'"future_field"')
    assert used(roll)[0].own == Tokens(350, 100, 30, 0, 380)


def test_after_a_drop_the_new_total_counts() -> None:
    roll = Rollout()
    roll.start(T1)
    roll.count(Usage(5000, 0, 500), Usage(5000, 0, 500))
    line = roll.count(Usage(300, 0, 30), Usage())
    roll.lines[line - 1] = roll.lines[line - 1].replace(b'"last_token_usage"', b'"future_field"')
    roll.count(Usage(700, 0, 60), Usage(400, 0, 30))
    assert used(roll)[0].own.total == 5500 + 330 + 430


def test_estimates_after_a_compaction_never_count() -> None:
    roll = Rollout()
    roll.start(T1)
    one = roll.count(Usage(5000, 0, 500), Usage(5000, 0, 500))
    roll.compacted([])
    estimate = roll.count(Usage(5001, 0, 500), Usage())
    line = roll.lines[estimate - 1]
    bare = b'"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":0'
    roll.lines[estimate - 1] = line.replace(bare, bare[:-1] + b"4321")
    usage, counted, left = used(roll)
    assert (usage.own.total, counted) == (5500, [one])
    assert left == {estimate: "an estimate"}
    assert roll.told().codes() == []


def test_no_tokens_are_no_answer() -> None:
    roll = Rollout()
    roll.start(T1)
    nothing = roll.count(Usage(), Usage())
    quota = roll.event("token_count", info=None, rate_limits=None)
    usage, counted, left = used(roll)
    assert (usage.source, counted) == ("none", [])
    assert left == {nothing: "no tokens yet", quota: "no totals in it"}


def test_response_records_count_alone_where_both_are() -> None:
    roll = Rollout(paginated=True)
    roll.start(T1)
    roll.count(Usage(1000, 0, 100), Usage(1000, 0, 100))
    one = roll.usage_record(T1, "resp_1", Usage(1000, 0, 100))
    again = roll.usage_record(T1, "resp_1", Usage(1000, 0, 100))
    two = roll.usage_record(T1, "resp_2", Usage(1000, 0, 100))
    roll.count(Usage(9999, 0, 100), Usage(8999, 0, 0))
    usage, counted, left = used(roll)
    assert (usage.source, usage.own.total, counted) == ("responses", 2200, [one, two])
    assert left[again] == "this response is counted already"


def test_turns_of_an_older_build_count_before_response_records_begin() -> None:
    roll = Rollout()
    roll.start(T1)
    old = roll.count(Usage(1000, 0, 100), Usage(1000, 0, 100))
    roll.end(T1)
    roll.start(T2)
    roll.count(Usage(1500, 0, 150), Usage(500, 0, 50))
    new = roll.usage_record(T2, "resp_1", Usage(500, 0, 50))
    roll.end(T2)
    usage, counted, _ = used(roll)
    assert (usage.own.total, counted) == (1650, [old, new])


def test_own_inherited_and_rolled_back_stand_apart() -> None:
    roll = Rollout(forked_from_id=PARENT)
    roll.header(PARENT, later=1)
    roll.start(OLD, later=1)
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10), later=1)
    roll.end(OLD, later=1)
    roll.start(T1)
    again = roll.count(Usage(100, 0, 10), Usage(100, 0, 10))
    roll.count(Usage(300, 0, 30), Usage(200, 0, 20))
    roll.end(T1)
    roll.start(T2)
    roll.count(Usage(700, 0, 70), Usage(400, 0, 40))
    roll.end(T2)
    roll.event("thread_rolled_back", num_turns=1)
    usage, _, left = used(roll)
    assert (usage.own.total, usage.inherited.total, usage.rolled_back.total) == (220, 110, 440)
    assert left == {again: "repeat"}


def test_a_fork_of_an_older_builds_thread_counts_each_part_by_its_own_records() -> None:
    roll = Rollout(forked_from_id=PARENT)
    roll.header(PARENT, later=1)
    roll.start(OLD, later=1)
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10), later=1)
    roll.end(OLD, later=1)
    roll.start(T1)
    roll.usage_record(T1, "resp_1", Usage(200, 0, 20))
    roll.count(Usage(300, 0, 30), Usage(200, 0, 20))
    roll.end(T1)
    usage = used(roll)[0]
    assert (usage.own.total, usage.inherited.total) == (220, 110)


def test_a_damaged_count_is_made_up_for_by_nothing_else() -> None:
    roll = Rollout()
    roll.start(T1)
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10))
    roll.raw(b'{"timestamp":"2026-07-20T10:00:03.000Z","type":"event_msg","payload":{"type":"token_count","inf')
    roll.count(Usage(300, 0, 30), Usage(100, 0, 10))
    usage = used(roll)[0]
    assert usage.own.total == 220


# -- steps
def test_calls_made_at_once_are_one_step_with_their_tokens() -> None:
    roll = Rollout()
    roll.start(T1)
    roll.user("weave")
    thought = roll.thought(["plan"])
    one, two = roll.call("call_1"), roll.call("call_2")
    out_one, out_two = roll.exits("call_1"), roll.exits("call_2")
    count = roll.count(Usage(100, 0, 10), Usage(100, 0, 10))
    roll.count(Usage(100, 0, 10), Usage(100, 0, 10))
    three = roll.call("call_3")
    roll.exits("call_3")
    roll.count(Usage(300, 0, 30), Usage(200, 0, 20))
    answer = roll.said("Woven.", "final_answer")
    roll.count(Usage(600, 0, 60), Usage(300, 0, 30))
    roll.end(T1)
    told = roll.told()
    steps = told.session.steps_of(told.turn(1))
    assert [step.number for step in steps] == [1, 2, 3]
    assert [[told.number(entry.ref) for entry in step.entries] for step in steps] == [
        [thought, one, two],
        [three],
        [answer],
    ]
    assert [told.number(ref) for ref in steps[0].results] == [out_one, out_two]
    assert [told.number(ref) for ref in steps[0].usages] == [count]
    assert [step.tokens.total for step in steps] == [110, 220, 330]
    assert "3 steps" in told.hover(2)


def test_tokens_that_come_before_the_results_belong_to_the_answer_that_called() -> None:
    roll = Rollout(paginated=True)
    roll.start(T1)
    roll.call("call_1")
    roll.usage_record(T1, "resp_1", Usage(100, 0, 10))
    out = roll.exits("call_1")
    roll.said_item("Done.")
    roll.usage_record(T1, "resp_2", Usage(200, 0, 20))
    told = roll.told()
    steps = told.session.steps_of(told.turn(1))
    assert [step.tokens.total for step in steps] == [110, 220]
    assert [told.number(ref) for ref in steps[0].results] == [out]


def test_a_compaction_is_a_step_of_its_own_with_the_tokens_of_its_answer() -> None:
    roll = Rollout(paginated=True)
    roll.start(T1)
    roll.call("call_1")
    roll.exits("call_1")
    roll.usage_record(T1, "resp_1", Usage(100, 0, 10))
    roll.usage_record(T1, "resp_2", Usage(500, 0, 50))
    kept = roll.compacted([], compaction_response_id="resp_2")
    roll.said_item("On.")
    roll.usage_record(T1, "resp_3", Usage(70, 0, 7))
    told = roll.told()
    steps = told.session.steps_of(told.turn(1))
    assert [step.is_compaction for step in steps] == [False, True, False]
    assert [step.tokens.total for step in steps] == [110, 550, 77]
    assert [told.number(entry.ref) for entry in steps[1].entries] == [kept]


def test_steps_add_up_to_their_turn() -> None:
    roll = Rollout()
    roll.at = BORN
    roll.start(T1)
    for number in range(1, 6):
        roll.call(f"call_{number}")
        roll.exits(f"call_{number}")
        roll.count(Usage(100 * number, 0, 10 * number), Usage(100, 0, 10))
    told = roll.told()
    turn = told.turn(1)
    steps = told.session.steps_of(turn)
    assert sum(step.tokens.total for step in steps) == told.session.usage.of_turn(turn).total == 550


def test_what_was_counted_before_an_edit_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Totals and shares of blocks that an edit does not touch are those of the present text."""
    monkeypatch.setattr(buffer_module, "BLOCK_LINES", 2)
    roll = Rollout()
    for number, turn in enumerate((T1, T2), 1):
        roll.start(turn)
        roll.count(Usage(100 * number, 0, 10 * number), Usage(100, 0, 10))
        roll.end(turn)
    repeated = roll.count(Usage(200, 0, 20), Usage(100, 0, 10))
    roll.event("thread_rolled_back", num_turns=1)
    text = roll.text()
    rollback = text[text.rstrip(b"\n").rindex(b"\n") + 1 :]
    document = Document("file:///rollout-1.jsonl", 1, [text.removesuffix(rollback)])
    assert (document.session().usage.own.total, document.session().usage.rolled_back.total) == (220, 0)
    rows = document.buffer.row_count - 1
    document.edit([Change((rows, 0), (rows, 0), rollback)], 2, "utf-8")
    assert (document.session().usage.own.total, document.session().usage.rolled_back.total) == (110, 110)
    column = document.buffer.row_text(repeated - 1).index(b'"input_tokens":200')
    document.edit([Change((repeated - 1, column + 15), (repeated - 1, column + 18), b"900")], 3, "utf-8")
    assert len(document.session().usage.steps) == 3
