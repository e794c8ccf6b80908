"""Uploads files that were broken at random, of every format, and looks at what becomes of each.

    python tests/benchmarks/mutated_uploads.py --uploads 1000 --write

Starts a whole Clew in a temporary home. The sample's articles are written in each format that is
read; a seeded mutation is done to each (bits flipped, cut short, parts of another file spliced in,
parts repeated or made noise, another extension, an archive or page that unpacks to much) and the
file is uploaded over REST, some in a request. Wanted: 0 processes of Clew that died, 0 answers of
5xx, and every file ready, failed with a reason, or refused with one. Prints JSON, and writes
``results/mutated-uploads.json`` with ``--write``.
"""

import argparse
import io
import json
import random
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from clew.resources.connecting import connection
from clew.resources.runtime_state import live_state
from clew.sample_corpus import ARTICLES
from clew.settings import Settings
from clew_ingest.reading.media_types import BY_EXTENSION

sys.path.insert(0, str(Path(__file__).parents[2]))
from kills import own_clew
from tests.ingest.conftest import make_docx, make_pdf, make_pptx, make_xlsx

RESULTS = Path(__file__).parent / "results"
CORPUS = "mutated"
BATCH = 20
ENDED = ("done", "failed", "cancelled", "set_aside")
PATIENCE_S = 1800.0


@cache
def in_every_format(title: str, text: str) -> dict[str, bytes]:
    """Return an article as a file of each extension that is read."""
    lines = [line for line in text.splitlines() if line.strip()]
    sentence = lines[-1]
    records = [{"title": title, "text": line} for line in lines]
    triple = '<http://example.org/{}> <http://example.org/says> "{}" .\n'
    graph = "".join(triple.format(n, line.replace('"', "'")) for n, line in enumerate(lines))
    rows = "".join(f'{title},"{line}"\n' for line in lines)
    plain = text.encode()
    page = f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>".encode()
    made = {
        "text/markdown": plain,
        "text/plain": plain,
        "text/html": page,
        "text/csv": f"title,text\n{rows}".encode(),
        "text/tab-separated-values": f"title\ttext\n{title}\t{sentence}\n".encode(),
        "application/json": json.dumps(records).encode(),
        "application/jsonl": "".join(json.dumps(row) + "\n" for row in records).encode(),
        "application/n-triples": graph.encode(),
        "text/turtle": graph.encode(),
        "message/rfc822": f"Subject: {title}\n\n{text}".encode(),
        "application/pdf": make_pdf([_latin(line[:80]) for line in lines], title),
    }
    office = {
        ".docx": make_docx(lines),
        ".pptx": make_pptx([(title, sentence)]),
        ".xlsx": make_xlsx({"One": [["title", "text"], [title, sentence]]}),
    }
    return {
        extension: office.get(extension) or made[kind] for extension, kind in BY_EXTENSION.items()
    }


def _latin(line: str) -> str:
    return line.encode("latin-1", "replace").decode("latin-1")


def flipped(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Flip 1 to 64 bits."""
    changed = bytearray(data)
    for _i in range(chance.randint(1, 64)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Cut the end off; sometimes all of it."""
    return data[: chance.randrange(len(data))]


def spliced(data: bytes, chance: random.Random, other: bytes) -> bytes:
    """Put a part of another file into the middle."""
    at, start = chance.randrange(len(data)), chance.randrange(len(other))
    return data[:at] + other[start : start + chance.randint(1, 4000)] + data[at:]


def repeated(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Repeat a part a thousand times."""
    at = chance.randrange(len(data))
    return data[:at] + data[at : at + chance.randint(1, 200)] * 1000 + data[at:]


def noise(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Make a part noise."""
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(chance.randint(1, 2000)) + data[at + 1000 :]


def unchanged(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Leave it as it is: its name will say another format."""
    return data


def bomb(data: bytes, chance: random.Random, _: bytes) -> bytes:
    """Pack 20 MiB of one letter into every part of an archive; other files get that as a tail."""
    much = b"A" * (20 << 20)
    if not data.startswith(b"PK"):
        return data + much[: 2 << 20]
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            body = before.read(name)
            after.writestr(name, body.replace(b">", b">" + much, 1) if b"<" in body else body)
    return packed.getvalue()


MUTATIONS: dict[str, Callable[[bytes, random.Random, bytes], bytes]] = {
    "bits": flipped,
    "cut": cut,
    "spliced": spliced,
    "repeated": repeated,
    "noise": noise,
    "extension": unchanged,
    "bomb": bomb,
}
WEIGHTS = (5, 4, 4, 2, 4, 4, 1)


def broken_files(count: int, seed: int) -> list[tuple[str, bytes]]:
    """Return names (number, mutation, the format it was, extension) and bytes."""
    chance = random.Random(seed)
    articles = sorted(ARTICLES.glob("*.md"))
    extensions = list(BY_EXTENSION)
    files = []
    for number in range(count):
        extension = extensions[number % len(extensions)]
        article = chance.choice(articles)
        forms = in_every_format(article.stem, article.read_text())
        (mutation,) = chance.choices(list(MUTATIONS), WEIGHTS)
        other = forms[chance.choice(extensions)]
        data = MUTATIONS[mutation](forms[extension], chance, other)
        named = chance.choice(extensions) if mutation == "extension" else extension
        files.append((f"{number:04}-{mutation}-{extension[1:]}{named}", data))
    return files


def measure(settings: Settings, count: int, seed: int) -> dict[str, Any]:
    """Upload, wait for the end, and count."""
    url = connection(settings).web_url
    before = processes(settings)
    statuses: Counter[str] = Counter()
    jobs: list[str] = []
    refused: dict[str, str] = {}
    files = broken_files(count, seed)
    started = time.monotonic()
    with httpx.Client(base_url=f"{url}/api/v1", timeout=120) as client:
        for start in range(0, count, BATCH):
            batch = files[start : start + BATCH]
            reply = client.post(
                "/documents", params={"corpus": CORPUS}, files=[("files", file) for file in batch]
            )
            statuses[str(reply.status_code)] += 1
            if reply.status_code == 202:
                body = reply.json()
                refused |= {item["uri"]: item["reason"] for item in body["skipped"]}
                jobs += [body["job_id"]] if body["job_id"] else []
            else:
                refused |= {f"upload:{name}": reply.text for name, _ in batch}
        ends: Counter[str] = Counter()
        for job in jobs:
            while (found := client.get(f"/jobs/{job}").json())["state"] not in ENDED:
                if time.monotonic() - started > PATIENCE_S:
                    break
                time.sleep(0.5)
            ends[found["state"]] += 1
        documents: list[dict[str, Any]] = []
        while page := client.get(
            "/documents", params={"corpus": CORPUS, "limit": 100, "offset": len(documents)}
        ).json()["documents"]:
            documents += page
    after = processes(settings)
    told = {item["uri"] for item in documents} | refused.keys()
    by_mutation: dict[str, Counter[str]] = {name: Counter() for name in MUTATIONS}
    for item in documents:
        by_mutation[item["uri"].split("-")[1]][item["status"]] += 1
    return {
        "uploads": count,
        "seed": seed,
        "requests": dict(statuses),
        "jobs": dict(ends),
        "documents": dict(Counter(item["status"] for item in documents)),
        "refused_with_a_reason": len(refused),
        "by_mutation": {name: dict(counts) for name, counts in by_mutation.items()},
        "reasons": Counter(
            " ".join((item["error"] or "").split()[:6])
            for item in documents
            if item["status"] == "failed"
        ).most_common(30),
        "failed_without_a_reason": sorted(
            item["uri"] for item in documents if item["status"] == "failed" and not item["error"]
        ),
        "neither": sorted(item["uri"] for item in documents if item["status"] == "accepted"),
        "lost": sorted(f"upload:{name}" for name, _ in files if f"upload:{name}" not in told),
        "processes_that_died": sorted(
            name for name, seen in before.items() if after.get(name) != seen
        ),
        "seconds": round(time.monotonic() - started, 1),
    }


def processes(settings: Settings) -> dict[str, tuple[int | None, int]]:
    """Return process id and restarts of each service."""
    state = live_state(settings.home)
    return {row.name: (row.pid, row.restarts) for row in state.services} if state else {}


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--uploads", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write results/mutated-uploads.json")
    options = parser.parse_args()
    with own_clew() as settings:
        found = measure(settings, options.uploads, options.seed)
    figures = json.dumps(found, indent=1)
    print(figures)
    if options.write:
        (RESULTS / "mutated-uploads.json").write_text(figures + "\n")
    if found["processes_that_died"] or found["neither"] or found["lost"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
