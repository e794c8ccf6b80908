"""What the project keeps of a run: small JSON without rankings, and a page made of such records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clew.evaluation.figures import (
    CostFigures,
    Difference,
    Figure,
    RunFigures,
    StepFigure,
    StrategyFigures,
)
from clew.evaluation.measuring import PLACES
from clew.evaluation.report.table import Cell, Column, Table
from clew.evaluation.report.tables import ablation_table, failed_cell, quality_table
from clew.evaluation.report.words import count, duration, p_value, plural, signed
from clew.evaluation.run import AblationStudy, BenchRun
from clew.evaluation.scoring import METRICS
from clew.settings import all_settings

FORMAT = "clew-bench-record-1"
DIGITS = 4
TOP = (
    "# The bench: every strategy, one corpus, one table",
    "Made by `clew.evaluation.record.markdown_table` from the JSON files of this folder; not "
    "written by hand. In brackets: bootstrap 95 % intervals. Bold: the highest of a run; ≈: not "
    "told apart from it (paired randomisation test, Holm). Times are of one retrieval, on the "
    "machine named; they are not comparable between machines.",
)
_MAIN = {metric.name for metric in METRICS if metric.main}


def record_of(run: BenchRun, figures: RunFigures) -> dict[str, Any]:
    """Return the record of a run: what was measured, on and with what, and all its figures.

    JSON of some tens of kilobytes, without questions, rankings and answers. Groups of questions
    have the main metrics only. Figures are rounded to 4 digits after the point.
    """
    settings = {name: value for name, value in run.settings.items() if not PLACES.fullmatch(name)}
    data_set = run.data_set.model_dump(mode="json")
    return {
        "format": FORMAT,
        "run": run.id,
        "created_at": run.created_at,
        "sessions": run.sessions,
        "seconds": run.seconds,
        "overhead": run.overhead,
        "data_set": data_set | {"refused": len(run.data_set.refused)},
        "questions": len(run.questions),
        "options": run.options.model_dump(mode="json"),
        "index": run.index.model_dump(mode="json"),
        "memory": run.memory.model_dump(mode="json"),
        "machine": run.machine,
        "versions": run.versions,
        "settings": settings,
        "notices": list(run.notices),
        "strategies": {
            s.strategy: {
                "questions": s.questions,
                "failed": s.failed,
                "metrics": _metrics(s.metrics),
                "by_type": {name: _metrics(g, _MAIN) for name, g in s.by_type.items()},
                "by_hops": {name: _metrics(g, _MAIN) for name, g in s.by_hops.items()},
                "cost": _cost(s.cost),
            }
            for s in figures.strategies
        },
        "pairs": [
            {
                name: round(value, DIGITS) if isinstance(value, float) else value
                for name, value in pair.model_dump(mode="json").items()
            }
            for pair in figures.pairs
        ],
    }


def markdown_table(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page that shows records: a section a data set, a table a record.

    Data sets in the order in which they first come; of one data set the newest record first.
    """
    sections: dict[str, list[Mapping[str, Any]]] = {}
    for record in sorted(records, key=lambda r: str(r["created_at"]), reverse=True):
        sections.setdefault(str(record["data_set"]["name"]), []).append(record)
    order = dict.fromkeys(str(record["data_set"]["name"]) for record in records)
    parts = list(TOP)
    for name in order:
        parts.append(f"## {_escaped(name)}")
        for record in sections[name]:
            parts += _section(record)
    return "\n\n".join(parts) + "\n"


def _section(record: Mapping[str, Any]) -> Iterator[str]:
    study = record["options"].get("ablations")
    yield " ".join(_what(record))
    if study is None:
        yield _table(record)
    else:
        made = AblationStudy.model_validate(study)
        yield (
            f"Ablations of `{made.strategy}`: the whole method, and it without its parts. Δ: less "
            "the whole method; p of that; ▼ ▲: told apart from it."
        )
        yield markdown(ablation_table(_figures_of(record), made))
    yield " ".join(_index(record))
    tested = [p for p in record["pairs"] if p["metric"] == "recall@5"]
    if tested and study is None:
        yield (
            "Recall@5, one minus another (p adjusted): "
            + "; ".join(
                f"{_escaped(p['strategy'])} – {_escaped(p['other'])} {signed(p['delta'])} "
                f"({p_value(p['p_adjusted'])})"
                for p in tested
            )
            + "."
        )
    for notice in record["notices"]:
        yield f"> {_escaped(notice)}"


def _what(record: Mapping[str, Any]) -> Iterator[str]:
    data, options = record["data_set"], record["options"]
    made = " synthetic" if data["synthetic"] else ""
    yield (
        f"{record['questions']:,}{made} questions of {data['total']:,}, "
        f"{plural(data['documents'], 'document')}, seed {options['seed']}, depth "
        f"{options['depth']}, reader `{options['reader'] or 'none'}`."
    )
    defaults = {name: field.default for name, field in all_settings().items()}
    changed = [
        f"`{name}` {_escaped(str(value))}"
        for name, value in record["settings"].items()
        if name in defaults and value != defaults[name]
    ]
    if changed:
        yield f"Not the default: {', '.join(changed)}."
    if data["refused"]:
        yield f"Refused, since they cannot be scored: {data['refused']:,}."
    machine = record["machine"]
    said = ", ".join(str(machine[name]) for name in ("cpu", "system") if name in machine)
    cores = f", {plural(machine['cores'], 'core')}" if machine.get("cores") else ""
    yield f"Run `{record['run']}`, {str(record['created_at'])[:10]}, {_escaped(said)}{cores}."
    kept = {
        name: record["versions"][name]
        for name in ("clew", "neo4j-server", "gds")
        if name in record["versions"]
    }
    if kept:
        yield "With " + ", ".join(f"{name} {number}" for name, number in kept.items()) + "."


def _figures_of(record: Mapping[str, Any]) -> RunFigures:
    return RunFigures(
        run_id=record["run"],
        data_set=record["data_set"]["name"],
        strategies=tuple(
            StrategyFigures(strategy=name, **kept) for name, kept in record["strategies"].items()
        ),
        pairs=tuple(Difference(**pair) for pair in record["pairs"]),
    )


def _table(record: Mapping[str, Any]) -> str:
    figures = _figures_of(record)
    strategies = figures.strategies
    table = quality_table(figures)
    for heading, of in (("Median ms", "median_seconds"), ("95th percentile ms", "p95_seconds")):
        spent = [getattr(s.cost, of) if s.failed < s.questions else None for s in strategies]
        table = table.plus(Column(heading), [Cell(seconds, "ms") for seconds in spent])
    if any(s.failed for s in strategies):
        table = table.plus(
            Column("Failed"), [failed_cell(s.failed, s.questions) for s in strategies]
        )
    return markdown(table)


def markdown(table: Table) -> str:
    """Return a table as Markdown; what is highest is bold."""
    lines = [
        [_escaped(column.heading) for column in table.columns],
        ["---:" if column.number else "---" for column in table.columns],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = f"**{cell.text}**" if cell.mark == "best" else _escaped(cell.text)
    return f"{text}{cell.sign} {cell.interval}".strip()


def _index(record: Mapping[str, Any]) -> Iterator[str]:
    index, memory = record["index"], record["memory"]
    counts = ", ".join(f"{number:,} {name}" for name, number in index["counts"].items())
    took = "" if index["wall_seconds"] is None else f" in {duration(index['wall_seconds'])}"
    stages = ", ".join(f"{name} {duration(spent)}" for name, spent in index["seconds"].items())
    verb = "The index was reused; it was made" if index["reused"] and took else "Indexed"
    if index["reused"] and not took:
        yield f"The index was reused: {counts}."
    else:
        yield f"{verb}{took}{f' ({stages})' if stages else ''}: {counts}."
    disk = index["disk_bytes"]
    if disk is not None:
        yield f"The database takes {disk / 2**20:,.0f} MiB on disk."
    yield f"Peak memory: {memory['process_mib']:,.0f} MiB of the process" + (
        "." if memory["neo4j_mib"] is None else f", {memory['neo4j_mib']:,.0f} MiB of Neo4j."
    )
    calls = {name: s["cost"]["calls"] for name, s in record["strategies"].items()}
    if any(calls.values()):
        said = ", ".join(f"{_escaped(name)} {count(number)}" for name, number in calls.items())
        yield f"Calls of a language model a question: {said}."


def _metrics(
    metrics: Mapping[str, Figure], only: set[str] | None = None
) -> dict[str, dict[str, float | int | None]]:
    return {
        name: {
            "value": round(figure.value, DIGITS),
            "low": None if figure.low is None else round(figure.low, DIGITS),
            "high": None if figure.high is None else round(figure.high, DIGITS),
            "questions": figure.questions,
        }
        for name, figure in metrics.items()
        if figure.value is not None and (only is None or name in only)
    }


def _cost(cost: CostFigures) -> dict[str, Any]:
    return {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in cost.model_dump(exclude={"steps", "answer_steps"}).items()
    } | {"steps": _steps(cost.steps), "answer_steps": _steps(cost.answer_steps)}


def _steps(steps: Mapping[str, StepFigure]) -> dict[str, dict[str, float | int]]:
    return {
        name: {
            "questions": step.questions,
            "median_seconds": round(step.median_seconds, 6),
            "mean_seconds": round(step.mean_seconds, 6),
        }
        for name, step in steps.items()
    }


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    flat = " ".join(text.split())
    for sign in "\\`*_[]<>|#":
        flat = flat.replace(sign, f"\\{sign}")
    return flat
