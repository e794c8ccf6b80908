"""How many arenas the threads of a process share, counted by the C library itself."""

import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, re, sys, tempfile, threading
from clew_models.memory import few_arenas

if sys.argv[1] == "few":
    few_arenas()
at_once = threading.Barrier(20)

def allocate():
    at_once.wait()
    kept = [bytearray(1000) for _ in range(1000)]
    at_once.wait()

threads = [threading.Thread(target=allocate) for _ in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(len(re.findall("<heap nr", open(file.name).read())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="GNU's C library only")
def test_threads_share_two_arenas_where_that_was_asked() -> None:
    def arenas(how: str) -> int:
        command = [sys.executable, "-c", PROGRAM, how]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    assert arenas("few") <= 2
    assert arenas("as it is") > 2
