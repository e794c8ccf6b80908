import subprocess
import sys
import threading

import pytest

from clew_cypher.lean_import import hidden


def test_a_module_is_hidden_from_its_thread_and_from_no_other() -> None:
    found: list[str] = []

    def elsewhere() -> None:
        import colorsys

        found.append(colorsys.__name__)

    sys.modules.pop("colorsys", None)
    with hidden("colorsys"):
        with pytest.raises(ModuleNotFoundError):
            import colorsys
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == ["colorsys"]
    sys.modules.pop("colorsys", None)
    import colorsys

    assert colorsys.rgb_to_hsv(1, 0, 0) == (0, 1, 1)


def test_the_driver_comes_without_dataframes() -> None:
    code = (
        "import sys, clew_cypher.store, clew_cypher.vectors\n"
        "print(sorted({'pandas', 'pyarrow', 'neo4j'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['neo4j']"
