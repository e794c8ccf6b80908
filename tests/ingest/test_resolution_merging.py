import itertools
import random

import pytest

from clew_ingest.resolution.merging import (
    DOUBTED_SCORE,
    MergePlan,
    MergeProposal,
    canonical_member,
    propose_merges,
)
from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.views import Decision, EntityView, JudgedPair, Verdict

SCORES: dict[Verdict, float] = {"same": 0.95, "unsure": 0.5, "different": 0.0}


def pair(a: str, b: str, verdict: Verdict, score: float | None = None) -> JudgedPair:
    return JudgedPair(a, b, Decision(verdict, ("said so",), score or SCORES[verdict]))


def views(keys: str) -> list[EntityView]:
    return [EntityView(key, key.upper()) for key in keys]


def never_asked(a: EntityView, b: EntityView) -> Decision:
    raise AssertionError(f"{a.key} and {b.key} are decided already")


def unsure(a: EntityView, b: EntityView) -> Decision:
    return Decision("unsure", ("not looked at",), 0.5)


def proposed(
    entities: list[EntityView], pairs: list[JudgedPair]
) -> tuple[list[set[str]], list[tuple[str, str]]]:
    proposal = propose_merges(entities, pairs, unsure)
    members = [{plan.canonical, *plan.merged} for plan in proposal.plans]
    return members, [(item.a, item.b) for item in proposal.review]


def test_a_plan_by_hand() -> None:
    entities = [
        EntityView("e1", "J. R. R. Tolkien", "PERSON", ("Tolkien",), mentions=7),
        EntityView("e2", "John Ronald Reuel Tolkien", "PERSON", mentions=2),
        EntityView("e3", "JRR Tolkien", "PERSON", mentions=7),
        EntityView("e4", "Christopher Tolkien", "PERSON", mentions=9),
        EntityView("e5", "J. Tolkien", "PERSON", mentions=1),
    ]
    pairs = [JudgedPair(a.key, b.key, decide(a, b)) for a, b in itertools.combinations(entities, 2)]
    proposal = propose_merges(entities, pairs)
    assert proposal.plans == (
        MergePlan(
            id=proposal.plans[0].id,
            canonical="e1",
            merged=("e2", "e3"),
            aliases=("JRR Tolkien", "John Ronald Reuel Tolkien", "Tolkien"),
            reasons=(
                "e1 = e3: equal words: j r r tolkien",
                "e1 = e2: the initials stand for the given names",
            ),
        ),
    )
    assert len(proposal.plans[0].id) == 32
    assert {(item.a, item.b) for item in proposal.review} == {
        ("e1", "e5"),
        ("e2", "e5"),
        ("e3", "e5"),
    }


def test_the_canonical_member_has_most_mentions_then_the_longest_name_then_the_first_key() -> None:
    often = EntityView("z", "A", mentions=3)
    long = EntityView("y", "A Long Name", mentions=2)
    first, second = EntityView("a", "Name", mentions=2), EntityView("b", "Name", mentions=2)
    assert canonical_member([first, long, often]) == often
    assert canonical_member([second, first, long]) == long
    assert canonical_member([second, first]) == first


def test_unsure_pairs_wait_for_review_the_surest_first() -> None:
    pairs = [pair("a", "b", "unsure", 0.4), pair("c", "b", "unsure", 0.7)]
    assert proposed(views("abc"), pairs) == ([], [("b", "c"), ("a", "b")])


def test_same_is_passed_on_within_a_group() -> None:
    members, review = proposed(views("abcd"), [pair("a", "b", "same"), pair("c", "b", "same")])
    assert members == [{"a", "b", "c"}]
    assert review == []


def test_an_unsure_pair_within_a_group_needs_no_review() -> None:
    pairs = [pair("a", "b", "same"), pair("b", "c", "same"), pair("a", "c", "unsure")]
    assert proposed(views("abc"), pairs) == ([{"a", "b", "c"}], [])


def test_what_is_as_surely_two_different_things_is_neither() -> None:
    pairs = [pair("a", "b", "same"), pair("b", "c", "same"), pair("a", "c", "different")]
    members, review = proposed(views("abc"), pairs)
    assert members == []
    assert review == [("a", "b"), ("b", "c")]


def test_the_surer_of_two_that_exclude_one_another_is_made() -> None:
    pairs = [
        pair("a", "b", "same", 0.98),
        pair("b", "c", "same", 0.92),
        pair("a", "c", "different"),
    ]
    proposal = propose_merges(views("abc"), pairs, never_asked)
    assert [plan.merged for plan in proposal.plans] == [("b",)]
    (item,) = proposal.review
    assert (item.a, item.b, item.decision.score) == ("b", "c", DOUBTED_SCORE)
    assert "a" in item.decision.reasons[-1]


def test_a_chain_does_not_join_its_ends_when_they_are_different() -> None:
    pairs = [
        pair("a", "b", "same", 0.98),
        pair("c", "d", "same", 0.97),
        pair("b", "c", "same", 0.91),
        pair("a", "d", "different"),
    ]
    assert proposed(views("abcd"), pairs) == ([{"a", "b"}, {"c", "d"}], [("b", "c")])


def test_pairs_that_were_no_candidates_are_judged_before_a_group_is_joined() -> None:
    entities = [
        EntityView("a", "John Robert Smith", "PERSON"),
        EntityView("b", "J. R. Smith", "PERSON"),
        EntityView("c", "James Richard Smith", "PERSON"),
    ]
    pairs = [pair("a", "b", "same"), pair("b", "c", "same")]
    proposal = propose_merges(entities, pairs)
    assert proposal.plans == ()
    assert len(proposal.review) == 2


def test_a_pair_given_twice_counts_as_its_stricter_verdict() -> None:
    for pairs in itertools.permutations([pair("a", "b", "same"), pair("b", "a", "different")]):
        assert proposed(views("ab"), list(pairs)) == ([], [])


def test_nothing_makes_nothing() -> None:
    assert propose_merges([], []) == MergeProposal((), ())
    assert propose_merges(views("a"), [pair("a", "a", "same")]) == MergeProposal((), ())


def test_unknown_and_doubled_entities_are_refused() -> None:
    with pytest.raises(ValueError, match="'c'"):
        propose_merges(views("ab"), [pair("a", "c", "same")])
    with pytest.raises(ValueError, match="'a'"):
        propose_merges(views("aa"), [])


def test_random_decisions_in_any_order_make_the_same_groups_without_a_different_pair() -> None:
    generator = random.Random(7)
    keys = "abcdefgh"
    verdicts: list[Verdict] = ["same", "same", "unsure", "different"]
    groups = kept_apart = 0
    for _ in range(200):
        pairs = [
            pair(a, b, verdict, generator.choice([0.91, 0.95, 0.99]) if verdict == "same" else None)
            for a, b in itertools.combinations(keys, 2)
            if generator.random() < 0.6
            for verdict in [generator.choice(verdicts)]
        ]
        apart = {frozenset((p.a, p.b)) for p in pairs if p.decision.verdict == "different"}
        entities = [EntityView(key, key, mentions=generator.randrange(3)) for key in keys]
        proposal = propose_merges(entities, pairs, unsure)
        seen: set[str] = set()
        groups += len(proposal.plans)
        kept_apart += len(apart)
        for plan in proposal.plans:
            members = {plan.canonical, *plan.merged}
            assert not members & seen
            assert len(plan.reasons) == len(plan.merged)
            seen |= members
            assert not any(frozenset(two) in apart for two in itertools.combinations(members, 2))
        generator.shuffle(pairs)
        generator.shuffle(entities)
        turned = [
            JudgedPair(p.b, p.a, p.decision) if generator.random() < 0.5 else p for p in pairs
        ]
        assert propose_merges(entities, turned, unsure) == proposal
    assert groups > 100
    assert kept_apart > 100
