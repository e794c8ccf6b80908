"""Everything that computes with tensors or calls a language model."""

import os

# OpenMP's threads wait for one another after each operation. Spinning, as they do by default, they
# burn the time slices that those they wait for need: beside two busy processes on two cores a
# question to a language model took 26 s instead of 1.1 s. Read when PyTorch is loaded, so it is set
# before; who sets it otherwise keeps it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# ONNX Runtime's Linux wheels tell their maker about models and runs as soon as they are imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
