"""Reads sources and makes the rows of the graph from them."""

import os

# as in `clew_models`: what reads HTML and DOCX imports ONNX Runtime
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
