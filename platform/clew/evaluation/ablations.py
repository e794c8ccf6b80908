"""Ablation studies: a method whole, and without each of its parts, asked the same questions.

    spec.ablations ──▶ AblationStudy ──▶ a row each in one run ──▶ each against the whole method

What is otherwise in a variant are settings of the method that are read at each question, so that
the corpus is indexed once and nothing is loaded twice.
"""

from clew.errors import InvalidRequest
from clew.evaluation.run import AblationStudy, Variant
from clew.settings import Settings
from clew.strategies.base import Ablation
from clew.strategies.catalogue import STRATEGIES, spec_of


def study_of(settings: Settings, name: str) -> AblationStudy:
    """Return what a study of the strategy ``name`` asks under these settings.

    Left out, with the reason, is what needs a training of its own or a language model that is not
    set, and what the settings in force already are. Raises UnknownStrategy; InvalidRequest where
    the strategy has no ablations, or none that can be asked.
    """
    spec = spec_of(name)
    if not spec.ablations:
        having = ", ".join(one.name for one in STRATEGIES if one.ablations)
        raise InvalidRequest(
            f"{spec.name} has no part that it can be asked without: it declares no ablations.",
            remedy=f"These do: {having}.",
        )
    variants: list[Variant] = []
    left_out: list[str] = []
    for ablation in spec.ablations:
        values = ", ".join(f"{key} = {value}" for key, value in ablation.settings.items())
        said = f"Not asked: {row_name(spec.name, ablation)}"
        if ablation.trained:
            left_out.append(
                f"{said}, which needs a version that was trained so. Set {values}, train it "
                f"(`clew train {spec.name}`), and compare two runs by --against."
            )
        elif ablation.asks_model and not settings.llm_model:
            left_out.append(f"{said}, which asks a language model, and none is set (llm_model).")
        elif any(settings.value(key) != value for key, value in ablation.where.items()):
            wanted = ", ".join(f"{key} = {value}" for key, value in ablation.where.items())
            left_out.append(f"{said}, which makes a difference where {wanted}.")
        elif all(settings.value(key) == value for key, value in ablation.settings.items()):
            left_out.append(f"{said}, which is how it is set already ({values}).")
        else:
            variants.append(
                Variant(
                    name=row_name(spec.name, ablation),
                    label=ablation.name,
                    shows=ablation.shows,
                    settings=dict(ablation.settings),
                )
            )
    if not variants:
        raise InvalidRequest(
            f"None of the ablations of {spec.name} can be asked now. {' '.join(left_out)}",
            remedy=f"`clew bench DATASET --strategies {spec.name}` measures it as it is set.",
        )
    return AblationStudy(strategy=spec.name, variants=tuple(variants), left_out=tuple(left_out))


def row_name(strategy: str, ablation: Ablation) -> str:
    """Return the name of a variant among the strategies of a run."""
    return f"{strategy} ({ablation.name})"
