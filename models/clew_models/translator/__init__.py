"""KG-Translator: a question is translated into clues that exist in the graph (KT-4 to KT-12).

`clue_index.py`: the indexes of a corpus, made by `index_build.py`, kept by `index_files.py`.
`vocabulary.py`: a tokenizer's view of names, relations and prompts. `translation.py`: the decoding
of one question. `backbone.py`: the language model that does it, which `loading.py` loads.
"""

from clew_models.translator.backbone import Backbone
from clew_models.translator.clue_index import DIRECTIONS, ClueIndex, Direction
from clew_models.translator.clues import Clue, TranslatedEntity
from clew_models.translator.index_build import SentenceParts, build_index
from clew_models.translator.index_files import load_index, save_index
from clew_models.translator.loading import chosen_backend, load_backbone
from clew_models.translator.translation import NameOf, Translation, TranslationOptions
from clew_models.translator.vocabulary import Vocabulary

__all__ = [
    "DIRECTIONS",
    "Backbone",
    "Clue",
    "ClueIndex",
    "Direction",
    "NameOf",
    "SentenceParts",
    "TranslatedEntity",
    "Translation",
    "TranslationOptions",
    "Vocabulary",
    "build_index",
    "chosen_backend",
    "load_backbone",
    "load_index",
    "save_index",
]
