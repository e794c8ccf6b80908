"""/users, /keys and /audit, for administrators; /me, for everybody."""

from functools import partial
from typing import Annotated

from flask import Response, make_response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field

from clew.access.keys import DEFAULT_DAYS, MOST_DAYS
from clew.access.passwords import LONGEST, SHORTEST
from clew.results.access import SCOPES, ApiKey, AuditEntry, NewApiKey, Role, Scope, User
from clew_web.api.models import Identifier, Name, Page, Plain, Request
from clew_web.api.responses import SECURITY, page_of, reply
from clew_web.api.results import ResultPage
from clew_web.backend import backend, current_caller
from clew_web.guard import with_session
from clew_web.passwords import change_own
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "access",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Access", description="Users, their API keys, and who changed what.")],
    abp_security=SECURITY,
)

UserName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9][a-z0-9._@+-]*$")]
Password = Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]


class UserPath(Request):
    """A user in the address."""

    name: UserName = Field(description="Name of the user.")


class GrantPath(UserPath):
    """A user and a corpus in the address."""

    corpus: Name = Field(description="Name of the corpus.")


class KeyPath(Request):
    """A key in the address."""

    key_id: Identifier = Field(description="Id of the key.")


class NewUser(Request):
    """A user to make."""

    name: UserName = Field(description="Small letters, digits and . _ @ + -")
    role: Role = Field("reader", description="What the user may do; admin: see all corpora too.")
    password: Password | None = Field(None, description="Unset: only keys act for this user.")
    corpora: list[Name] = Field(
        default_factory=list, max_length=1000, description="Corpora that the user may see."
    )
    all_corpora: bool = Field(False, description="Every corpus, also those to come.")


class UserChange(Request):
    """What is to be another way; what is unset stays."""

    role: Role | None = Field(None, description="Another role.")
    disabled: bool | None = Field(None, description="Whether the user and their keys are let in.")
    all_corpora: bool | None = Field(None, description="Every corpus, or only those granted.")
    password: Password | None = Field(None, description="A new password; ends the sessions.")


class OwnPassword(Request):
    """The caller's password, old and new."""

    old: Annotated[str, Field(max_length=LONGEST)] = Field(description="The one to change.")
    new: Password = Field(description="Another one.")


class NewKey(Request):
    """A key to make."""

    user: UserName = Field(description="Whom the key acts for.")
    name: Annotated[Plain, Field(min_length=1, max_length=100)] = Field(
        description="What it is for, such as: nightly crawler."
    )
    scopes: list[Scope] = Field(
        min_length=1,
        max_length=3,
        description="query: what readers may do; ingest: editors; admin: administrators. At most "
        "what the user may.",
    )
    days: int = Field(DEFAULT_DAYS, ge=1, le=MOST_DAYS, description="How long it lives.")


class AuditFilter(Page):
    """Which part of the log."""

    who: Plain = Field("", max_length=200, description="Only what this one did.")
    action: Plain = Field("", max_length=200, description="Only actions that begin so.")


class UserList(BaseModel):
    """Users by name."""

    users: list[User]


class KeyList(BaseModel):
    """Keys, newest first."""

    keys: list[ApiKey]


class AuditPage(ResultPage):
    """A page of the log, newest first."""

    entries: list[AuditEntry]


class Me(BaseModel):
    """Who calls. ``role`` and ``scopes`` (of an API key; null for a person) say what is allowed;
    ``corpora``: those that can be seen, null for all."""

    name: str
    role: Role
    scopes: list[Scope] | None
    corpora: list[str] | None


@api.get("/me", summary="Who calls", responses={"200": Me})
@allows("reader", Corpora.FILTERED, also=SCOPES)
def get_me() -> Response:
    """What the token, key or session of this request may do."""
    caller = current_caller()
    me = Me(
        name=caller.name,
        role=caller.role or "reader",
        scopes=None if caller.scopes is None else list(caller.scopes),
        corpora=None if caller.corpora is None else sorted(caller.corpora),
    )
    return reply(me)


@api.put("/me/password", summary="Change your own password", responses={"204": None})
@allows("reader", Corpora.NONE)
def change_own_password(body: OwnPassword) -> Response:
    """For who is logged in by name, with a cookie; every other session of theirs ends. 403 where
    the old password is wrong, 429 where that was so too often."""
    return with_session(make_response("", 204), change_own(body.old, body.new))


@api.get("/users", summary="The users", responses={"200": UserList})
@allows("admin", Corpora.NONE)
def list_users() -> Response:
    """Users with their role, what they may see, and how many good keys they have."""
    return reply(UserList(users=backend().clew.users()))


@api.post("/users", summary="Make a user", responses={"201": User})
@allows("admin", Corpora.NONE)
def create_user(body: NewUser) -> Response:
    """From the first user on, everybody has to log in: it must be an administrator."""
    user = backend().clew.create_user(
        body.name,
        body.role,
        password=body.password,
        corpora=body.corpora,
        all_corpora=body.all_corpora,
    )
    return reply(user, 201)


@api.patch("/users/<name>", summary="Change a user", responses={"200": User})
@allows("admin", Corpora.NONE)
def change_user(path: UserPath, body: UserChange) -> Response:
    """Role, password, or whether they are let in at all; felt within a second."""
    return reply(backend().clew.change_user(path.name, **body.model_dump()))


@api.delete("/users/<name>", summary="Delete a user", responses={"204": None})
@allows("admin", Corpora.NONE)
def delete_user(path: UserPath) -> Response:
    """With their grants and API keys; the last administrator who can log in stays."""
    backend().clew.delete_user(path.name)
    return make_response("", 204)


@api.put("/users/<name>/corpora/<corpus>", summary="Grant a corpus", responses={"200": User})
@allows("admin", Corpora.NONE)
def grant_corpus(path: GrantPath) -> Response:
    """Let a user see a corpus. The grant ends with the corpus."""
    return reply(backend().clew.grant(path.name, path.corpus))


@api.delete("/users/<name>/corpora/<corpus>", summary="Revoke a grant", responses={"200": User})
@allows("admin", Corpora.NONE)
def revoke_corpus(path: GrantPath) -> Response:
    """Take a grant back."""
    return reply(backend().clew.revoke(path.name, path.corpus))


@api.get("/keys", summary="The API keys", responses={"200": KeyList})
@allows("admin", Corpora.NONE)
def list_keys() -> Response:
    """Keys of all users, without what they are."""
    return reply(KeyList(keys=backend().clew.api_keys()))


@api.post("/keys", summary="Make an API key", responses={"201": NewApiKey})
@allows("admin", Corpora.NONE)
def create_key(body: NewKey) -> Response:
    """The answer holds the key, this once; send it as `Authorization: Bearer …`."""
    made = backend().clew.create_api_key(body.user, body.name, body.scopes, body.days)
    return reply(made, 201)


@api.delete("/keys/<key_id>", summary="Revoke an API key", responses={"204": None})
@allows("admin", Corpora.NONE)
def revoke_key(path: KeyPath) -> Response:
    """End a key for good; it stays listed."""
    backend().clew.revoke_api_key(path.key_id)
    return make_response("", 204)


@api.get("/audit", summary="Who changed what", responses={"200": AuditPage})
@allows("admin", Corpora.NONE)
def list_audit(query: AuditFilter) -> Response:
    """The log of changes, newest first; `outcome` is `done`, or the code of the error."""
    return reply(audit_page(query))


def audit_page(query: AuditFilter) -> AuditPage:
    """Return the page of the log that REST and the Audit page show."""
    entries = partial(backend().clew.audit, query.who, query.action)
    count = partial(backend().clew.audit_count, query.who, query.action)
    return page_of(AuditPage, "entries", query, entries, count)
