"""A small data set for the bench: people, the towns where they were born, and their rivers."""

import json
from pathlib import Path

TOWNS = ("Dunmore", "Ashby", "Kelling", "Orford", "Tarrant", "Wexley", "Marden", "Hollin")
PEOPLE = ("Helena Marsh", "Tobias Renn", "Ada Quill", "Owen Farrow", "Ines Vale", "Karl Osten")


def people_and_towns(folder: Path) -> Path:
    """Write 24 documents, and 6 questions of two hops with their gold; return ``folder``."""
    documents = [
        {"id": f"p{n}", "title": person, "text": f"{person} was born in the town of {TOWNS[n]}."}
        for n, person in enumerate(PEOPLE)
    ]
    documents += [
        {"id": f"t{n}", "title": town, "text": f"{town} lies on the river {town[:3]}ow."}
        for n, town in enumerate(TOWNS)
    ]
    documents += [
        {"id": f"x{n}", "title": f"Mill {n}", "text": f"Mill {n} ground corn until 18{n}0."}
        for n in range(10)
    ]
    questions = [
        {
            "id": f"q{n}",
            "question": f"On which river lies the town where {person} was born?",
            "answers": [f"{TOWNS[n]}ow"],
            "gold": [f"p{n}", f"t{n}"],
            "type": "river" if n % 2 else "stream",
            "hops": 2,
        }
        for n, person in enumerate(PEOPLE)
    ]
    for name, rows in (("corpus", documents), ("questions", questions)):
        text = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(text + "\n")
    return folder
