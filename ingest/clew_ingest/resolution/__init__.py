"""Entity resolution: which names are one thing, as decisions and plans that are plain data."""
