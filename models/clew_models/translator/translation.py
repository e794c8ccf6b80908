"""The translation of one question into clues (KT-6, KT-7, KT-12; KG-Translator, Algorithm 1).

    P(w | q; G) = Π P(e_i | q, e_<i) · C_H(e_i | e_<i) · Π P(r_j | q, e, r_<j) · F_R(r_j | r_<j)

Entities first, by the trie of names: α beams; those that the question names are added. Then, for
all entities side by side, relations: β beams each, over the spans of the entity's hyperrelations.
Both directions and all phases share one tree of prefixes, so that nothing is computed twice.

A clue ends with its line. Where a question needs several steps, a chain of clues can be decoded
(ours): after a clue, an entity beside it in its sentences, and relations of that entity in other
chunks, in both directions: what is asked of the second entity is often said where another one is
the subject.

Differs from the paper: equal names are one entry of the trie that leads to several entities, and
α counts entities; log-probabilities of relations can be compared per token (``length_penalty``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding import (
    EntityState,
    Hypothesis,
    RelationState,
    Search,
    SpanView,
    TokenTrie,
    run_searches,
)
from clew_models.constrained_decoding.prefix_nodes import PrefixNodes, TreeModel
from clew_models.constrained_decoding.states import NOTHING
from clew_models.constrained_decoding.token_trie import Tokens
from clew_models.offsets import offsets_of
from clew_models.translator.clue_index import DIRECTIONS, ClueIndex, Direction
from clew_models.translator.clues import Clue, TranslatedEntity
from clew_models.translator.prompts import ClueForm
from clew_models.translator.vocabulary import Vocabulary

NameOf = Callable[[Sequence[str]], Sequence[tuple[str, str]]]
"""From sentence ids to (entity id, name) of what may be the tail of a triple there."""
Views = list[tuple[Direction, SpanView]]


@dataclass(frozen=True)
class TranslationOptions:
    """How wide and how long to decode.

    ``entities``: α (paper: 3). ``relations``: β (1 to 5). ``relation_tokens``: the longest
    relation (16). ``name_tokens``: the longest name. ``foresight``: forced tokens computed ahead.
    """

    entities: int = 3
    relations: int = 3
    relation_tokens: int = 16
    name_tokens: int = 64
    length_penalty: float = 0.0
    foresight: int = 4
    form: ClueForm = "pair"


class Translation:
    """One question's clues, in as many steps and directions as are asked for.

    Used by one thread. ``index`` and the vocabulary must be of the same tokenizer.
    """

    def __init__(
        self,
        model: TreeModel,
        vocabulary: Vocabulary,
        index: ClueIndex,
        question: str,
        options: TranslationOptions,
    ) -> None:
        self._vocabulary = vocabulary
        self._index = index
        self._options = options
        self._tree = model.tree(vocabulary.prompt(question, options.form))
        self._nodes: dict[TranslatedEntity, int] = {}
        self._ends: dict[Clue, int] = {}

    @property
    def tree(self) -> PrefixNodes:
        """What was computed, for the trace."""
        return self._tree

    def entities(self, named: Sequence[tuple[str, str]]) -> list[TranslatedEntity]:
        """Return the α likeliest entities and those of ``named`` (id, name), likeliest first."""
        walked = [
            (id_, name, [*tokens, *self._vocabulary.separator])
            for (id_, name), tokens in zip(
                named, self._vocabulary.tokenize([name for _, name in named]), strict=True
            )
        ]
        paths = [self._tree.walk(self._tree.root, tokens) for _, _, tokens in walked]
        for (_, _, tokens), path in zip(walked, paths, strict=True):
            self._tree.foresee([*self._steps(tokens, path), (path[-1], NOTHING)])
        found = self._decoded(self._index.names, self._options.entities)
        best: dict[str, tuple[TranslatedEntity, int]] = {}
        for hypothesis in found:
            assert isinstance(hypothesis.state, EntityState)
            surface = self._surface(hypothesis)
            rows = self._index.names.entries(hypothesis.state.name)
            for row in self._index.name_entity[rows]:
                id_ = str(self._index.entity_ids[row])
                entity = TranslatedEntity(id_, surface, hypothesis.log_probability, False)
                if id_ not in best and len(best) < self._options.entities:
                    best[id_] = (entity, hypothesis.node)
        for (id_, name, tokens), path in zip(walked, paths, strict=True):
            value = self._log_probability(tokens, path)
            known = best.get(id_)
            surface = name if known is None else known[0].surface
            value = value if known is None else max(known[0].log_probability, value)
            node = path[-1] if known is None else known[1]
            best[id_] = (TranslatedEntity(id_, surface, value, True), node)
        self._nodes.update(best.values())
        return sorted(
            (entity for entity, _ in best.values()), key=lambda e: (-e.log_probability, e.id)
        )

    def clues(
        self,
        entities: Sequence[TranslatedEntity],
        direction: Direction,
        tails: NameOf | None = None,
    ) -> list[Clue]:
        """Return up to β clues of each entity, likeliest first; none for one without sentences in
        this direction. ``tails``: what may be the third part of a triple, for the form 'triple'.
        """
        found = self._relations(
            [
                (entity, direction, view)
                for entity in entities
                if (view := self._view(entity, direction)) is not None
            ]
        )
        if self._options.form == "triple" and tails is not None:
            found = self._with_tails(found, tails)
        return self._kept(found)

    def next_clues(
        self,
        clues: Sequence[Clue],
        beside: Sequence[Sequence[tuple[str, str]]],
        beams: int,
        directions: Sequence[Direction] = DIRECTIONS,
    ) -> list[Clue]:
        """Return clues that follow ``clues`` in a chain, likeliest first.

        ``beside``: for each clue, the (id, name) of entities that may come next; of these the
        ``beams`` likeliest are taken, with up to β relations each in each of ``directions``, in
        chunks that the clue did not reach.
        """
        searches: list[tuple[Clue, list[tuple[str, str, Views]], Search]] = []
        for clue, names in zip(clues, beside, strict=True):
            ids = np.array(clue.chunk_ids, dtype=np.str_)
            reached = np.searchsorted(self._index.chunk_ids, ids)
            usable = [
                (id_, name, views)
                for id_, name in names
                if (views := self._elsewhere(id_, reached, directions))
            ]
            if usable:
                node = self._tree.extend(self._ends[clue], self._vocabulary.line_end)
                state = EntityState(
                    self._trie_of([name for _, name, _ in usable]), self._vocabulary.separator
                )
                search = Search(state, node, beams, self._options.name_tokens)
                searches.append((clue, usable, search))
        run_searches(self._tree, [search for _, _, search in searches], self._options.foresight)
        asked: list[tuple[TranslatedEntity, Direction, SpanView]] = []
        for clue, usable, search in searches:
            for hypothesis in search.results:
                written = hypothesis.state
                assert isinstance(written, EntityState)
                ended = written.trie.entries(written.name) if written.complete else ()
                for entry in ended:
                    id_, name, views = usable[int(entry)]
                    entity = TranslatedEntity(id_, name, hypothesis.log_probability, False, clue)
                    self._nodes[entity] = hypothesis.node
                    asked += [(entity, direction, view) for direction, view in views]
        return self._kept(self._relations(asked))

    def _view(self, entity: TranslatedEntity, direction: Direction) -> SpanView | None:
        row = self._index.entity_row(entity.id)
        if row is None or not len(self._index.sentences(row, direction)):
            return None
        return self._index.relations(row, direction)

    def _elsewhere(
        self, id_: str, reached: NDArray[np.integer[Any]], directions: Sequence[Direction]
    ) -> Views:
        """Return the directions in which an entity has sentences outside chunks (rows)."""
        row = self._index.entity_row(id_)
        if row is None:
            return []
        found: Views = []
        for direction in directions:
            view = self._index.relations_elsewhere(row, direction, reached)
            if view is not None:
                found.append((direction, view))
        return found

    def _relations(
        self, asked: Sequence[tuple[TranslatedEntity, Direction, SpanView]]
    ) -> list[tuple[Clue, int]]:
        """Decode relations for all entities side by side; return clues with their last nodes."""
        triples = self._options.form == "triple"
        searches = []
        for entity, direction, view in asked:
            search = Search(
                start=RelationState.start(view, self._vocabulary.speaks),
                node=self._nodes[entity],
                beams=self._options.relations,
                max_tokens=self._options.relation_tokens,
                end=self._vocabulary.separator[0] if triples else self._vocabulary.line_end,
                length_penalty=self._options.length_penalty,
            )
            searches.append((entity, direction, search))
        run_searches(self._tree, [search for _, _, search in searches], self._options.foresight)
        return [
            (self._clue(entity, hypothesis, direction), hypothesis.node)
            for entity, direction, search in searches
            for hypothesis in search.results
        ]

    def _kept(self, found: Sequence[tuple[Clue, int]]) -> list[Clue]:
        self._ends.update(found)
        return sorted((clue for clue, _ in found), key=lambda clue: -clue.score)

    def _decoded(self, names: TokenTrie, beams: int) -> list[Hypothesis]:
        if not len(names.token):
            return []
        search = Search(
            start=EntityState(names, self._vocabulary.separator),
            node=self._tree.root,
            beams=beams,
            max_tokens=self._options.name_tokens,
        )
        run_searches(self._tree, [search], self._options.foresight)
        return search.results

    def _clue(self, entity: TranslatedEntity, found: Hypothesis, direction: Direction) -> Clue:
        state = found.state
        assert isinstance(state, RelationState)
        index = self._index
        held = state.view.locate(state.span)
        chunks = np.unique(index.sentence_chunk[held])
        return Clue(
            entity=entity,
            relation=self._vocabulary.text(found.tokens),
            log_probability=found.log_probability,
            direction=direction,
            sentence_ids=tuple(str(index.sentence_ids[row]) for row in held),
            chunk_ids=tuple(str(index.chunk_ids[row]) for row in chunks),
        )

    def _with_tails(
        self, clues: Sequence[tuple[Clue, int]], tails: NameOf
    ) -> list[tuple[Clue, int]]:
        """Add to each clue the likeliest entity at the other end of its sentences (Eq. 12); a
        clue whose sentences have none stays a pair.
        """
        searches: list[Search | None] = []
        entries: list[list[tuple[str, str]]] = []
        for clue, node in clues:
            names = [pair for pair in tails(clue.sentence_ids) if pair[0] != clue.entity.id]
            entries.append(names)
            trie, start = self._trie_of([name for _, name in names]), self._tree.root
            if names:
                start = self._tree.walk(node, self._vocabulary.separator)[-1]
            state = EntityState(trie, (self._vocabulary.end,))
            limit = self._options.name_tokens
            searches.append(Search(state, start, 1, limit) if names else None)
        run_searches(self._tree, [search for search in searches if search], self._options.foresight)
        whole = []
        for (clue, node), search, names in zip(clues, searches, entries, strict=True):
            for hypothesis in search.results if search else []:
                written = hypothesis.state
                assert isinstance(written, EntityState)
                if written.complete:
                    id_, name = names[int(written.trie.entries(written.name)[0])]
                    tail = TranslatedEntity(id_, name, hypothesis.log_probability, False)
                    clue = replace(clue, tail=tail)
            whole.append((clue, node))
        return whole

    def _trie_of(self, names: Sequence[str]) -> TokenTrie:
        sequences = self._vocabulary.tokenize(names)
        starts = offsets_of([len(ids) for ids in sequences])
        joined = [token for ids in sequences for token in ids]
        return TokenTrie.build(np.array(joined, dtype=np.int32), starts)

    def _surface(self, hypothesis: Hypothesis) -> str:
        name = hypothesis.tokens[: -len(self._vocabulary.separator)]
        return self._vocabulary.text(name)

    def _log_probability(self, tokens: Sequence[int], path: Sequence[int]) -> float:
        found = self._tree.score(self._steps(tokens, path))
        return float(sum(float(scores[0]) for scores in found))

    def _steps(self, tokens: Sequence[int], path: Sequence[int]) -> list[tuple[int, Tokens]]:
        """Return each node before a token of ``path``, with that token."""
        before = [self._tree.root, *path[:-1]]
        return [
            (node, np.array([token], dtype=np.int32))
            for node, token in zip(before, tokens, strict=True)
        ]
