"""Measures the first contentful paint of each page while the graph holds 100,000 chunks.

    python tests/benchmarks/first_paint.py [--chunks 100000] [--write]

Writes the synthetic corpus of ``growth.py`` to a Neo4j of its own, or takes the one that
CLEW_TEST_NEO4J_URI and CLEW_TEST_NEO4J_PASSWORD name where that holds the corpus already. Then a
web server starts beside it, without broker and workers, which no page waits for, and headless
Chromium opens each page over loopback: once cold (the first look after a start asks Neo4j for
plans), then ``--times`` times, each in a new tab. The figure is the first contentful paint of
PerformancePaintTiming, in ms from the start of the navigation; beside it the time until the first
byte. ``--write`` writes ``results/first-paint.json``.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import psutil
from growth import CORPUS, DIMENSION, REPOSITORY, RESULTS, write_corpus
from playwright.sync_api import BrowserContext, sync_playwright

from clew.evaluation.measuring import cpu_model
from clew.runtime.environment import service_environment
from clew.settings import Settings
from clew_cypher.corpora import corpus_counts, ensure_corpus
from clew_cypher.embedded import EmbeddedNeo4j, free_ports
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore, Neo4jConfig

MOST_MS = 300
PAINTED_S = 20
STARTED_S = 60
PAINT = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const page = performance.getEntriesByType("navigation")[0];
  return paint ? [paint.startTime, page.responseStart] : null;
}"""


@contextmanager
def filled_neo4j(cache: Path, chunks: int) -> Iterator[Neo4jConfig]:
    """A Neo4j that holds the corpus: the one that is named, or one that is filled now."""
    uri = os.environ.get("CLEW_TEST_NEO4J_URI")
    with ExitStack() as stack:
        if uri:
            config = Neo4jConfig(uri, "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"], "neo4j")
        else:
            settings = Settings()
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            memory = (settings.neo4j_heap_mib, settings.neo4j_page_cache_mib)
            server = EmbeddedNeo4j(home, cache, *memory, *free_ports(0, 0))
            config = stack.enter_context(server).config
            store = stack.enter_context(GraphStore(config))
            ensure_schema(store, DIMENSION)
            ensure_corpus(store, CORPUS, embedder="synthetic", dimension=DIMENSION)
            write_corpus(store, chunks)
        yield config


@contextmanager
def served(config: Neo4jConfig, cache: Path) -> Iterator[str]:
    """The address of a web server over that Neo4j."""
    with tempfile.TemporaryDirectory() as home:
        (port,) = free_ports(0)
        settings = Settings.load(
            home=Path(home),
            cache_dir=cache,
            neo4j_uri=config.uri,
            neo4j_password=config.password,
            web_port=port,
        )
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "clew_web.server", "--bind", f"127.0.0.1:{port}"]
        with subprocess.Popen(command, env=service_environment(settings)) as server:
            try:
                end = time.monotonic() + STARTED_S
                while not answers(url):
                    assert time.monotonic() < end, "the web server did not start"
                    time.sleep(0.2)
                yield url
            finally:
                server.terminate()


def answers(url: str) -> bool:
    """Say whether the web server answers already."""
    try:
        return httpx.get(f"{url}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def addresses(url: str) -> dict[str, str]:
    """The pages by name: each of the header, and one document, chunk and entity."""
    with httpx.Client(base_url=f"{url}/api/v1", timeout=60) as rest:
        asked: dict[str, str | int] = {"corpus": CORPUS, "limit": 1}
        document = rest.get("/documents", params=asked).json()["documents"][0]["id"]
        detail = rest.get(f"/documents/{document}", params={"corpus": CORPUS}).json()
        text = {**asked, "text": "Name1"}
        entity = rest.get("/graph/entities", params=text).json()["entities"][0]["id"]
    corpus = f"corpus={quote(CORPUS)}"
    return {
        "home": "/",
        "ask": f"/ask?{corpus}",
        "documents": f"/documents?{corpus}",
        "document": f"/documents/{document}?{corpus}",
        "chunk": f"/documents/{document}/chunks/{detail['chunks'][0]['id']}?{corpus}",
        "corpora": "/corpora",
        "corpus": f"/corpora/{quote(CORPUS)}",
        "entities": f"/entities?{corpus}",
        "entities found": f"/entities?{corpus}&text=Name1",
        "entity": f"/entities/{entity}?{corpus}",
        "review": f"/entities/review?{corpus}",
        "merges": f"/entities/merges?{corpus}",
        "graph": f"/graph?{corpus}",
        "graph tools": "/graph/tools",
        "jobs": "/jobs",
        "schedules": "/schedules",
        "bench": "/bench",
        "models": "/models",
        "users": "/users",
        "audit": "/audit",
        "settings": "/settings",
    }


def painted(context: BrowserContext, address: str) -> tuple[float, float]:
    """Open a page in a new tab; return when it painted, and when its first byte came, in ms."""
    page = context.new_page()
    try:
        answer = page.goto(address, wait_until="commit", timeout=60_000)
        assert answer is not None, address
        assert answer.ok, f"{address}: {answer.status}"
        end = time.monotonic() + PAINTED_S
        while (found := page.evaluate(PAINT)) is None:
            assert time.monotonic() < end, f"{address} painted nothing"
            time.sleep(0.02)
        return found[0], found[1]
    finally:
        page.close()


def measure(url: str, times: int) -> dict[str, dict[str, float]]:
    """Return the medians of each page, in ms."""
    pages: dict[str, dict[str, float]] = {}
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        for name, path in addresses(url).items():
            first, _ = painted(context, url + path)
            found = [painted(context, url + path) for _ in range(times)]
            pages[name] = {
                "first_contentful_paint_ms": round(statistics.median(one[0] for one in found)),
                "slowest_ms": round(max(one[0] for one in found)),
                "first_byte_ms": round(statistics.median(one[1] for one in found)),
                "cold_ms": round(first),
            }
            told = pages[name]
            print(f"{name:16}" + "".join(f"{value:8.0f}" for value in told.values()), flush=True)
        browser.close()
    return pages


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write results/first-paint.json")
    options = parser.parse_args()
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    with filled_neo4j(cache, options.chunks) as config, GraphStore(config) as store:
        counts = corpus_counts(store, CORPUS)
        with served(config, cache) as url:
            print(f"{'page':16}{'paint':>8}{'slowest':>8}{'byte':>8}{'cold':>8}  ms")
            load = psutil.getloadavg()[0]
            pages = measure(url, options.times)
    slow = [name for name, told in pages.items() if told["first_contentful_paint_ms"] > MOST_MS]
    print(f"above {MOST_MS} ms: {', '.join(slow) or 'none'}")
    if options.write:
        figures = {
            "counts": counts,
            "times": options.times,
            "cores": psutil.cpu_count(),
            "processor": cpu_model(),
            "load_average_before": round(load, 2),
            "above_300_ms": slow,
            "pages": pages,
        }
        (RESULTS / "first-paint.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
