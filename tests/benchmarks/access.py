"""What it costs a request to say who calls: an API key that is remembered, one that is looked up.

    python tests/benchmarks/access.py http://127.0.0.1:8750 < key

``GET /api/v1/me`` is asked over one connection: back to back, so that the key is remembered, and
with pauses of over a second, so that Neo4j is asked of it each time. Prints medians.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import httpx

BACK_TO_BACK = 300
APART = 20
PAUSE_S = 1.2


def median_ms(ask: Callable[[], None], times: int, pause_s: float = 0.0) -> float:
    """Return the median of so many calls, in milliseconds."""
    taken = []
    for _ in range(times):
        time.sleep(pause_s)
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", help="of a running server; the key comes by standard input")
    asked = parser.parse_args()
    key = sys.stdin.readline().strip()
    with httpx.Client(base_url=asked.address) as client:

        def ask(path: str, headers: dict[str, str]) -> None:
            client.get(path, headers=headers).raise_for_status()

        known = {"Authorization": f"Bearer {key}"}
        ask("/api/v1/me", known)
        print(f"GET /health, public: {median_ms(lambda: ask('/health', {}), BACK_TO_BACK):.2f} ms")
        for what, times, pause_s in (
            ("/health after a pause", APART, PAUSE_S),
            ("/me, key remembered", BACK_TO_BACK, 0.0),
            ("/me, key looked up", APART, PAUSE_S),
        ):
            path, headers = ("/api/v1/me", known) if "/me" in what else ("/health", {})
            took = median_ms(partial(ask, path, headers), times, pause_s)
            print(f"{what}: {took:.2f} ms")


if __name__ == "__main__":
    main()
