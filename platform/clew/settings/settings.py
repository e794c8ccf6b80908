"""Every setting, once: name, type, default, meaning.

The options of methods are nested here in ``methods``, see `method_options.py`.

Sources, a later one wins: the defaults here, ``clew.toml`` (``CLEW_SETTINGS_FILE``, else
``$CLEW_HOME/clew.toml``), the file ``.env`` of the working directory (``CLEW_ENV_FILE`` names
another, or none where it is empty), the environment (``CLEW_`` and the name in capitals; Neo4j's
own ``NEO4J_URI`` … too), and what the command line or the caller passes. An unknown name is an
error that names the nearest known one. ``clew settings`` prints each value with its source.
"""

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, TypeVar

from dotenv import dotenv_values
from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from clew.answering.readers import ANSWER_THRESHOLD, AUTO, READERS
from clew.errors import InvalidRequest, InvalidSetting, field_words
from clew.settings.method_options import (
    FLAT,
    METHODS,
    OPTION_SETS,
    MethodOptions,
    MethodVariables,
    nested,
)
from clew.strategies.catalogue import STRATEGIES
from clew_ingest.triples.extractor_choice import ExtractorChoice, UnknownExtractor

ENVIRONMENT_PREFIX = "CLEW_"
_OF_COMPOSE = (
    *("BROKER_SECRET", "INGEST_QUEUES", "WEB_BIND", "VLLM_SHARE"),
    *("NEO4J_HEAP", "NEO4J_PAGE_CACHE", "NEO4J_TRANSACTIONS", "NEO4J_TRANSACTION"),
    *(f"{one}_MEMORY" for one in ("NEO4J", "QUERY", "INGEST", "GPU", "WEB", "VLLM")),
    *(f"{one}_CPUS" for one in ("NEO4J", "QUERY", "INGEST", "GPU", "WEB", "VLLM")),
)
NOT_SETTINGS = {
    *("CLEW_SETTINGS_FILE", "CLEW_ENV_FILE"),
    *(ENVIRONMENT_PREFIX + name for name in _OF_COMPOSE),
}
"""Variables with our prefix that are read elsewhere, in docker-compose.yml most of them;
CLEW_TEST_… belong to the test run."""
ENV_FILE_NAMES = (ENVIRONMENT_PREFIX, "NEO4J_")
"""How names begin that are taken from `.env`: others there are other programs'."""

_PATHS = (
    *("home", "cache_dir", "valkey_binary"),
    *("neo4j_password_file", "broker_url_file", "events_url_file"),
    *("access_token_file", "llm_api_key_file"),
)
_WORD = re.compile(r"\w+|[^\w\s]")
Options = TypeVar("Options", bound=BaseModel)


class Settings(BaseSettings):
    """All settings of Clew. ``Settings.load(top_k=3)`` reads every source; see the module."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX, frozen=True, extra="forbid", populate_by_name=True
    )

    # where things lie
    home: Path = Field(Path("~/.clew"), description="Directory of all data, logs and secrets.")
    cache_dir: Path | None = Field(
        None, description="Directory of jars and converted models; default: cache under home."
    )

    # graph database
    neo4j_uri: str | None = Field(
        None,
        validation_alias=AliasChoices("neo4j_uri", "CLEW_NEO4J_URI", "NEO4J_URI"),
        description="An external Neo4j, such as neo4j://host:7687; unset: an embedded one.",
    )
    neo4j_username: str = Field(
        "neo4j",
        validation_alias=AliasChoices("neo4j_username", "CLEW_NEO4J_USERNAME", "NEO4J_USERNAME"),
        description="User name at the external Neo4j.",
    )
    neo4j_password: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("neo4j_password", "CLEW_NEO4J_PASSWORD", "NEO4J_PASSWORD"),
        description="Password at the external Neo4j.",
    )
    neo4j_password_file: Path | None = Field(
        None, description="File that holds the password of the external Neo4j (a secret mount)."
    )
    neo4j_database: str = Field(
        "neo4j",
        validation_alias=AliasChoices("neo4j_database", "CLEW_NEO4J_DATABASE", "NEO4J_DATABASE"),
        description="Database at the external Neo4j.",
    )
    neo4j_heap_mib: int = Field(1024, ge=256, description="Heap of the embedded Neo4j, MiB.")
    neo4j_page_cache_mib: int = Field(
        512, ge=64, description="Page cache of the embedded Neo4j, MiB."
    )
    neo4j_procedures: str = Field(
        "",
        pattern=r"^([\w.*]+(,[\w.*]+)*)?$",
        description="Procedures of the embedded Neo4j that may be called beside those that Clew "
        "calls, with commas between: gds.* for all of GDS. Each start takes longer by them.",
    )
    neo4j_startup_cache: bool = Field(
        True,
        description="Make, after the first start, a Java cache that halves later ones: 180 MB.",
    )
    bolt_port: int = Field(7687, ge=1, le=65535, description="Embedded Neo4j: wanted Bolt port.")
    browser_port: int = Field(
        7474, ge=1, le=65535, description="Embedded Neo4j: wanted port of Neo4j Browser."
    )
    bloom_url: str | None = Field(
        None,
        description="Where Neo4j Bloom is served, such as http://host:7474/bloom/; unset: links to "
        "it lead to the page that says how.",
    )
    maven_repository: str | None = Field(
        None, description="Repository the jars come from; unset: Maven Central."
    )

    # broker
    broker_url: SecretStr | None = Field(
        None, description="External broker (redis://, rediss:// or amqp://); unset: embedded."
    )
    broker_url_file: Path | None = Field(
        None, description="File that holds the external broker's URL (a secret mount)."
    )
    events_url: SecretStr | None = Field(
        None,
        description="Redis or Valkey that carries a question's events; unset: the broker's.",
    )
    events_url_file: Path | None = Field(
        None, description="File that holds the URL of what carries events (a secret mount)."
    )
    broker_port: int = Field(6379, ge=1, le=65535, description="Embedded Valkey: wanted port.")
    valkey_binary: Path | None = Field(None, description="Another Valkey or Redis server binary.")

    # what operators see
    log_format: Literal["text", "json"] = Field(
        "text", description="Lines of the web server's and the workers' logs."
    )
    traces_url: str | None = Field(
        None,
        description="OTLP collector for traces, such as http://localhost:4318/v1/traces; unset: no "
        "traces. Needs the extra `traces`.",
    )

    # web
    web_host: str = Field("127.0.0.1", description="Address the web server listens on.")
    web_port: int = Field(8750, ge=1, le=65535, description="Wanted port of the web server.")
    trusted_proxies: str = Field(
        "",
        description="Addresses or networks of reverse proxies before the web server, such as "
        "`10.0.0.0/8`, separated by commas: their X-Forwarded-For and X-Forwarded-Proto are "
        "believed. Empty: only a proxy on this machine, that it was reached by https.",
    )
    web_threads: int = Field(16, ge=1, description="Requests the web server serves at once.")
    access_token: SecretStr | None = Field(
        None,
        description="Token that REST and UI take for an administrator; beyond loopback it is "
        "needed, or a user who is one.",
    )
    access_token_file: Path | None = Field(None, description="File that holds the access token.")
    upload_limit_mib: int = Field(50, ge=1, description="Largest upload, MiB.")
    question_limit_bytes: int = Field(8192, ge=64, description="Longest question, bytes.")

    question_limit_words: int = Field(
        1500, ge=16, description="Longest question, words and signs: what it costs grows with them."
    )

    # models
    model_memory_mib: int = Field(
        8192, ge=0, description="Memory of loaded models, MiB; the idlest go first. 0: no limit."
    )
    gpu_memory_mib: int = Field(0, ge=0, description="The same of a GPU, MiB. 0: no limit.")
    embedder: str = Field("minilm", description="'minilm', or any sentence-transformers model.")
    embed_batch_size: int = Field(
        8,
        ge=1,
        description="Texts the embedder takes at once; minilm: of 32 tokens, fewer of longer ones.",
    )
    embed_threads: int = Field(
        0, ge=0, description="Threads of embedder and span model; 0: one a core."
    )
    embed_precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="Numbers that minilm and the reader's span model compute with; auto: bfloat16 "
        "(OpenVINO) where the processor is quicker in it, else float32, the span model integers "
        "(ONNX Runtime).",
    )
    parser: str = Field("en_core_web_sm", description="spaCy pipeline that parses documents.")
    reader: str = Field(
        AUTO, description="Who writes answers; auto: openai where configured, else extractive."
    )
    llm_base_url: str | None = Field(
        None, description="OpenAI-compatible endpoint, such as http://localhost:8000/v1."
    )
    llm_model: str | None = Field(None, description="Model name at that endpoint.")
    llm_api_key: SecretStr | None = Field(None, description="API key of that endpoint.")
    llm_api_key_file: Path | None = Field(None, description="File that holds that API key.")
    llm_timeout_s: float = Field(60.0, gt=0, description="Seconds to wait for the endpoint.")
    llm_retries: int = Field(2, ge=0, description="Further tries where the endpoint fails.")
    llm_max_tokens: int = Field(400, ge=16, description="Longest reply of a language model.")
    llm_threads: int = Field(0, ge=0, description="Threads of local models; 0: one a core.")
    graph_reader_model: Literal["auto", "openai", "local", "trained"] = Field(
        "auto",
        description="Who answers as the reader graph; auto: the endpoint where llm_model is set, "
        "else the version that was trained for the corpus.",
    )
    graph_reader_version: str = Field(
        "default", description="That version: 'default' (the one that serves), or a directory."
    )
    graph_token: bool = Field(
        True,
        description="Hand trained models that plan and answer the question's graph as a token too.",
    )
    answer_threshold: float = Field(
        ANSWER_THRESHOLD,
        ge=0,
        le=1,
        description="Confidence below which the evidence does not say.",
    )

    # ingest
    corpus: str = Field("default", description="Corpus that is meant where none is named.")
    chunk_tokens: int = Field(
        512, ge=16, description="Token budget of a chunk, in the embedder's tokens."
    )
    ingest_batch_chunks: int = Field(128, ge=1, description="Chunks embedded and written together.")
    parser_processes: int = Field(
        0, ge=0, le=64, description="Processes that parse; 0: chosen by the number of cores."
    )
    extractor: str = Field(
        "rules",
        description="Extractor of triples of new corpora: rules, llm, model, none or file:PATH.",
    )
    extractor_base: str = Field(
        "SmolLM2-135M-Instruct",
        description="Causal model that the extractor model is trained of: the default's name, or a "
        "directory.",
    )
    extractor_model: Literal["auto", "openai", "local"] = Field(
        "auto", description="Model of the extractor llm; auto: the endpoint of llm_model."
    )
    llm_concurrency: int = Field(
        8, ge=1, le=256, description="Calls of a language model that extraction makes at once."
    )
    llm_triple_tokens: int = Field(
        2048, ge=64, description="Longest reply with a chunk's triples, tokens."
    )
    llm_triplet_tokens: int = Field(
        4096, ge=64, description="Longest reply with a chunk's textual triplets, tokens."
    )
    reply_cache_mib: int = Field(
        1024, ge=1, description="Kept replies of language models, MiB; the oldest go first."
    )
    file_limit_mib: int = Field(50, ge=1, description="Largest file that is read, MiB.")
    text_limit_mib: int = Field(20, ge=1, description="Longest text of one file, MiB.")
    unpacked_limit_mib: int = Field(200, ge=1, description="Largest unpacked archive, MiB.")
    reader_timeout_s: float = Field(120.0, gt=0, description="Seconds a file may take to read.")
    reader_memory_mib: int = Field(2048, ge=256, description="Memory a file may take to read.")
    url_ingest: bool | None = Field(
        None, description="Fetch URLs; unset: only while the web server is on loopback."
    )

    s3_endpoint: str | None = Field(
        None,
        pattern=r"^https?://[^/\s@]+/?$",
        description="S3-compatible endpoint whose buckets are read as s3://BUCKET/PREFIX, such as "
        "https://s3.eu-central-1.amazonaws.com; it may lie inside the network. Unset: none.",
    )
    s3_region: str = Field("us-east-1", description="Region that requests to it are signed for.")
    s3_access_key: SecretStr | None = Field(None, description="Access key of that endpoint.")
    s3_secret_key: SecretStr | None = Field(None, description="Secret key of that endpoint.")
    s3_path_style: bool = Field(
        True, description="Name the bucket in the path; false: in the host's name."
    )
    s3_buckets: str = Field(
        "",
        description="Buckets, or such as `papers/2026`, that may be read by schedules made over "
        "REST and in the web app, separated by commas; empty: none. `clew` may read any.",
    )
    triple_vectors: bool = Field(
        True,
        description="Embed each triple of a knowledge base; without, only its names: several times "
        "as fast, but searches for texts near a question do not find its triples.",
    )
    resolve_entities: bool = Field(
        True, description="Merge entities that are surely one thing, at the end of an ingest."
    )

    # evidence
    strategy: str = Field(STRATEGIES[0].name, description="Strategy used where none is named.")
    top_k: int = Field(5, ge=1, le=100, description="Chunks that are handed to the reader.")
    seed_similarity: float = Field(
        0.8, ge=0, le=1, description="Least cosine at which an entity embedding is a seed."
    )
    methods: MethodOptions = Field(
        default_factory=MethodOptions, description="The options of each method, by its prefix."
    )

    # jobs
    job_lease_s: float = Field(60.0, gt=0, description="Seconds a worker owns a job unrenewed.")
    job_attempts: int = Field(3, ge=1, description="Tries before a job is set aside.")
    job_reconcile_s: float = Field(
        15.0, gt=0, le=60, description="Seconds between two looks of the reconciler."
    )
    job_adopt_after_s: float = Field(
        300.0, gt=0, description="Seconds after which accepted documents without a job get one."
    )
    schedule_look_s: float = Field(
        5.0, gt=0, le=60, description="Seconds between two looks for schedules that are due."
    )
    schedule_folders: str = Field(
        "",
        description="Folders that schedules made over REST and in the web app may read, separated "
        "by `:`; empty: none. `clew schedules reindex` may name any.",
    )
    webhook_networks: str = Field(
        "",
        description="Networks inside that webhooks may reach, such as `10.0.0.0/8`, separated by "
        "commas; empty: public addresses alone.",
    )
    webhook_look_s: float = Field(
        5.0, gt=0, le=60, description="Seconds between two looks for webhooks that are to be told."
    )
    query_wait_s: float = Field(
        10.0, gt=0, description="Seconds a question waits where no query worker is alive."
    )
    query_timeout_s: float = Field(120.0, gt=0, description="Seconds a question may take.")

    @model_validator(mode="before")
    @classmethod
    def _nested(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        # an empty path, of a variable that was left empty, would be the working directory
        given = {name: value for name, value in values.items() if name not in _PATHS or value != ""}
        return nested(given)

    @field_validator("reader", mode="after")
    @classmethod
    def _known_reader(cls, value: str) -> str:
        names = (AUTO, *(spec.name for spec in READERS))
        if value not in names:
            raise ValueError(f"There are: {', '.join(names)}")
        return value

    @field_validator(*_PATHS, mode="after")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        # the services work in another directory
        return None if value is None else value.expanduser().absolute()

    @field_validator("web_host", mode="after")
    @classmethod
    def _without_brackets(cls, value: str) -> str:
        if not value:  # a socket would take it for all that this machine has
            raise ValueError("write 127.0.0.1, or 0.0.0.0 for all addresses of this machine")
        return value.removeprefix("[").removesuffix("]")

    @field_validator("extractor", mode="after")
    @classmethod
    def _known_extractor(cls, value: str) -> str:
        try:
            return str(ExtractorChoice.parse(value))
        except UnknownExtractor as error:
            raise ValueError(error.message.rstrip(".")) from error

    @property
    def cache(self) -> Path:
        """Directory of what can be fetched or computed again."""
        return self.cache_dir or self.home / "cache"

    def check_question(self, question: str) -> None:
        """Raise InvalidRequest for a question that is empty, no Unicode or over the limits."""
        if not question.strip():
            raise InvalidRequest("The question is empty.", remedy="Ask in words.")
        try:
            size = len(question.encode())
        except UnicodeEncodeError as error:
            raise InvalidRequest(
                "The question is not valid Unicode.", remedy="Write it in UTF-8."
            ) from error
        words = sum(1 for _ in _WORD.finditer(question))
        for found, most, unit in (
            (size, self.question_limit_bytes, "bytes"),
            (words, self.question_limit_words, "words and signs"),
        ):
            if found > most:
                raise InvalidRequest(
                    f"The question has {found} {unit}, over {most}.",
                    remedy="Ask a shorter question; long texts belong into documents.",
                )

    def options(self, kind: type[Options]) -> Options:
        """Return the options of a method, by their type."""
        for prefix, options in OPTION_SETS.items():
            if options is kind:
                found: Options = getattr(self.methods, prefix)
                return found
        raise KeyError(f"{kind.__name__} are the options of no method.")

    def value(self, name: str) -> Any:
        """Return the value of a setting by its flat name. Raises AttributeError."""
        if name in FLAT:
            prefix, option = FLAT[name]
            return getattr(getattr(self.methods, prefix), option)
        return getattr(self, name)

    def changed(self, **values: Any) -> "Settings":
        """Return these settings with others in place, by their flat names; nothing is checked."""
        _refuse_unknown(values, "an argument")
        methods = self.methods
        for name in FLAT.keys() & values.keys():
            prefix, option = FLAT[name]
            options = getattr(methods, prefix).model_copy(update={option: values.pop(name)})
            methods = methods.model_copy(update={prefix: options})
        return self.model_copy(update={**values, METHODS: methods})

    @classmethod
    def load(cls, **overrides: Any) -> "Settings":
        """Read every source; ``overrides`` that are None count as not given.

        Raises InvalidSetting for an unknown name (with the nearest known one) or a bad value.
        """
        given = {name: value for name, value in overrides.items() if value is not None}
        _refuse_unknown(given, "an argument")
        read_env_file()
        _refuse_unknown(_environment_names(), "the environment")
        try:
            return cls(**given)
        except ValidationError as error:
            first = error.errors()[0]
            place = [str(part) for part in first["loc"] if part != METHODS]
            name = "_".join(place) if first["loc"][0] == METHODS else ".".join(place)
            raise InvalidSetting(
                f"The setting {name} cannot be {first.get('input')!r}: {field_words(first)}.",
                remedy="`clew settings` lists every setting with its meaning.",
            ) from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = InitSettingsSource(settings_cls, init_kwargs=file_values(init_settings()))
        return init_settings, env_settings, MethodVariables(settings_cls, ENVIRONMENT_PREFIX), file


def all_settings() -> dict[str, FieldInfo]:
    """Return every setting by its flat name, those of methods among them."""
    found: dict[str, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        if name != METHODS:
            found[name] = field
            continue
        for flat, (prefix, option) in FLAT.items():
            found[flat] = OPTION_SETS[prefix].model_fields[option]
    return found


def read_env_file() -> None:
    """Put what `.env` sets into the environment, where it is not set there: processes that are
    started have it too. Raises InvalidSetting where the file cannot be read.
    """
    named = os.environ.get("CLEW_ENV_FILE")
    path = Path(".env" if named is None else named)
    if not path.is_file():
        if named:
            raise _no_such(path, "CLEW_ENV_FILE")
        return
    try:
        values = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(
            f"The file {path} cannot be read: {error}.", remedy="Name another in CLEW_ENV_FILE."
        ) from error
    for name, value in values.items():
        if name.startswith(ENV_FILE_NAMES) and name not in NOT_SETTINGS and value is not None:
            os.environ.setdefault(name, value)


def settings_file(home: Path | None = None) -> Path:
    """Return where the settings file is looked for."""
    named = os.environ.get("CLEW_SETTINGS_FILE")
    if named:
        return Path(named).expanduser()
    base = home or Path(os.environ.get("CLEW_HOME") or "~/.clew")
    return Path(base).expanduser() / "clew.toml"


def file_values(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the settings file says, {} where there is none; ``given``: may name a home."""
    path = settings_file(given.get("home") or None)
    if not path.exists():
        if os.environ.get("CLEW_SETTINGS_FILE"):
            raise _no_such(path, "CLEW_SETTINGS_FILE")
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(
            f"The settings file {path} cannot be read: {error}.", remedy="It must be TOML."
        ) from error
    _refuse_unknown(values, str(path))
    return values


def _no_such(path: Path, variable: str) -> InvalidSetting:
    return InvalidSetting(
        f"There is no file {path}, which {variable} names.",
        remedy=f"Name one that is there, or unset {variable}.",
    )


def _environment_names() -> list[str]:
    return [
        name.removeprefix(ENVIRONMENT_PREFIX).lower()
        for name in os.environ
        if name.startswith(ENVIRONMENT_PREFIX)
        and name not in NOT_SETTINGS
        and not name.startswith("CLEW_TEST_")
    ]


def _refuse_unknown(names: Any, source: str) -> None:
    known = all_settings()
    for name in names:
        if name not in known and name != METHODS:
            near = difflib.get_close_matches(name, known, n=1)
            raise InvalidSetting(
                f"There is no setting {name!r} (from {source}).",
                remedy=f"Did you mean {near[0]!r}?" if near else "`clew settings` lists them all.",
            )
