"""What the logits processor does to a batch: Eq. 4, the model's own probabilities or none."""

import numpy as np
import pytest
import torch

from clew_models.constrained_decoding.allowed_slots import ALLOWED, AllowedSlots, packed, unpacked

VOCABULARY = 40


def tokens(*ids: int) -> np.ndarray:
    return np.array(ids, dtype=np.int32)


def own(row: np.ndarray) -> np.ndarray:
    """The log-probabilities of a row of logits, computed by hand in double precision."""
    exact = row.astype(np.float64)
    return exact - np.log(np.exp(exact - exact.max()).sum()) - exact.max()


@pytest.mark.parametrize("seed", range(5))
def test_what_is_allowed_has_the_model_s_own_probability_and_the_rest_none(seed: int) -> None:
    random = np.random.default_rng(seed)
    logits = random.normal(scale=4, size=(7, VOCABULARY)).astype(np.float32)
    slots = random.permutation(50)[:7].tolist()
    held = AllowedSlots()
    allowed = {}
    for row in (0, 2, 3, 6):  # the others are of requests that are not ours
        count = int(random.integers(1, VOCABULARY))
        allowed[row] = np.sort(random.permutation(VOCABULARY)[:count]).astype(np.int32)
        assert held.take(slots[row], allowed[row])
    result = held.hold(torch.from_numpy(logits.copy()), slots).numpy()
    for row in range(7):
        if row not in allowed:
            np.testing.assert_array_equal(result[row], logits[row])
            continue
        expected = np.full(VOCABULARY, -np.inf)
        expected[allowed[row]] = own(logits[row])[allowed[row]]
        np.testing.assert_allclose(result[row], expected, atol=1e-5)


def test_what_is_left_is_not_scaled_up() -> None:
    held = AllowedSlots()
    held.take(0, tokens(3, 4, 5))
    found = held.hold(torch.zeros(1, VOCABULARY), [0])[0]
    assert float(found.exp().sum()) == pytest.approx(3 / VOCABULARY)


def test_a_slot_follows_its_request_from_row_to_row() -> None:
    logits = torch.randn(3, VOCABULARY, generator=torch.Generator().manual_seed(0))
    held = AllowedSlots()
    held.take(8, tokens(1, 2))
    held.take(3, tokens(5))
    one = held.hold(logits.clone(), [8, 3, 4])
    other = held.hold(logits[[2, 1, 0]].clone(), [4, 3, 8])
    assert torch.equal(one[0], other[2])
    assert torch.equal(one[1], other[1])
    assert one[0].isfinite().nonzero().flatten().tolist() == [1, 2]
    assert one[1].isfinite().nonzero().flatten().tolist() == [5]


def test_what_an_earlier_request_left_in_a_slot_is_gone() -> None:
    logits = torch.zeros(1, VOCABULARY)
    held = AllowedSlots()
    held.take(2, tokens(1, 2, 3))
    held.take(2, tokens(9))
    assert held.hold(logits.clone(), [2])[0].isfinite().nonzero().flatten().tolist() == [9]
    assert not held.take(2, None)
    assert torch.equal(held.hold(logits.clone(), [2]), logits)


def test_large_logits_do_not_overflow() -> None:
    logits = torch.full((1, VOCABULARY), -1e4)
    logits[0, 7] = 3e4
    held = AllowedSlots()
    held.take(0, tokens(7, 8))
    found = held.hold(logits, [0])[0]
    assert (found[7], found[8]) == (0.0, -4e4)


def test_a_batch_needs_a_slot_for_each_row() -> None:
    with pytest.raises(ValueError, match="each of 2 rows"):
        AllowedSlots().hold(torch.zeros(2, VOCABULARY), [1])


def test_tokens_travel_with_a_request() -> None:
    sent = tokens(0, 1, 70_000)
    np.testing.assert_array_equal(unpacked({ALLOWED: packed(sent)}), sent)
    assert unpacked(None) is None
    assert unpacked({"another": 1}) is None


@pytest.mark.parametrize("held", [b"", b"abc", [1, 2], "text"])
def test_malformed_tokens_are_refused(held: object) -> None:
    with pytest.raises(ValueError, match=ALLOWED):
        unpacked({ALLOWED: held})
