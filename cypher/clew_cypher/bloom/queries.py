"""The saved queries of analysts: once for Bloom's search phrases and actions, and the Browser."""

from dataclasses import dataclass

from clew_cypher.statements import LANGUAGE, statement


@dataclass(frozen=True)
class Parameter:
    """What a phrase asks for; ``label`` and ``key``: the property whose values are suggested."""

    name: str
    label: str = ""
    key: str = ""


@dataclass(frozen=True)
class Phrase:
    """A saved query: ``words`` as they are typed, each ``$parameter`` where it stands."""

    words: str
    statement: str
    parameters: tuple[Parameter, ...]

    @property
    def description(self) -> str:
        """What it finds."""
        return statement(self.statement).why


@dataclass(frozen=True)
class SceneAction:
    """A query over the nodes that are chosen in the scene, offered for nodes of these labels."""

    words: str
    statement: str
    labels: tuple[str, ...]


def _name(parameter: str) -> Parameter:
    return Parameter(parameter, "Entity", "name")


PHRASES = (
    Phrase("Path between $a and $b", "phrase_path_between", (_name("a"), _name("b"))),
    Phrase("Documents about $name", "phrase_documents_about", (_name("name"),)),
    Phrase("What is said of $name", "phrase_what_is_said_of", (_name("name"),)),
    Phrase("What supports $passages", "phrase_what_supports", (Parameter("passages"),)),
    Phrase(
        "Sentences of $title", "phrase_sentences_of", (Parameter("title", "Document", "title"),)
    ),
    Phrase(
        "Most mentioned in $corpus",
        "phrase_most_mentioned",
        (Parameter("corpus", "Corpus", "name"),),
    ),
)
SCENE_ACTIONS = (
    SceneAction("Passages that mention it", "scene_passages", ("Entity",)),
    SceneAction("What is said of it", "scene_statements", ("Entity",)),
    SceneAction("Passages that they share", "scene_shared", ("Entity",)),
    SceneAction("Sentences of the passage", "scene_sentences", ("Chunk",)),
)


def query_text(name: str) -> str:
    """Return the Cypher of a saved query without its language version, which tools choose."""
    return statement(name).text.removeprefix(LANGUAGE).strip()
