"""`clew users`, `clew keys` and `clew audit`: who may do what, and who did."""

import getpass
import sys
from collections.abc import Sequence
from typing import Annotated, cast

import typer
from rich.text import Text

from clew.access.keys import DEFAULT_DAYS
from clew.clew import Clew
from clew.cli.groups import is_listing
from clew.cli.logged import logged
from clew.cli.output import console, errors, print_json, table
from clew.errors import InvalidRequest
from clew.results.access import Role, Scope, User
from clew.settings import Settings

users_app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")
keys_app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")

AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
Name = Annotated[str, typer.Argument(help="Name of the user.", show_default=False)]
AnyRole = Annotated[
    Role,
    typer.Option(
        help="reader: ask and look; editor: also add, change, measure and train; admin: also "
        "users and whole corpora, and sees all."
    ),
]
STYLES = {"valid": "green", "expired": "yellow", "revoked": "red"}


@users_app.command("list", hidden=True)
@users_app.callback()
def users(context: typer.Context, as_json: AsJson = False) -> None:
    """List the users; or make one, change one, and say which corpora they may see.

    From the first user on, everybody who opens the web pages or calls REST has to log in.
    """
    if not is_listing(context):
        return
    with Clew(Settings.load()) as clew:
        found = clew.users()
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(
            "There are no users: whoever reaches the server on this machine is let in. "
            "Make an administrator: `clew users create NAME --role admin`.",
            markup=False,
        )
        return
    _print(found)


@users_app.command()
def create(
    name: Name,
    role: AnyRole = "reader",
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", "-c", help="May see it; repeatable.")
    ] = None,
    all_corpora: Annotated[
        bool, typer.Option("--all-corpora", help="May see every corpus, also those to come.")
    ] = False,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="For programs: only API keys act for this user.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a user. The password is asked for, or read from standard input.

    Examples: `clew users create ada --role admin`,
    `clew users create crawler --role editor --corpus papers --no-password`
    """
    password = None if no_password else _password()
    target = f"name={name}, role={role}"
    if corpus:
        target += f", corpora={' '.join(corpus)}"
    if all_corpora:
        target += f", all_corpora={all_corpora}"
    with Clew(Settings.load()) as clew, logged(clew, "users create", target):
        made = clew.create_user(
            name, role, password=password, corpora=corpus or (), all_corpora=all_corpora
        )
    _tell(made, as_json)


@users_app.command()
def role(name: Name, role: Annotated[Role, typer.Argument()], as_json: AsJson = False) -> None:
    """Give a user another role: reader, editor or admin."""
    with Clew(Settings.load()) as clew, logged(clew, "users role", f"name={name}, role={role}"):
        changed = clew.change_user(name, role=role)
    _tell(changed, as_json)


@users_app.command()
def grant(
    name: Name,
    corpus: Annotated[str | None, typer.Argument(help="Name of the corpus.")] = None,
    all_corpora: Annotated[
        bool, typer.Option("--all", help="Every corpus, also those to come.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a user see a corpus, or `--all`. The grant ends with the corpus."""
    what = _one_or_all(corpus, all_corpora)
    with Clew(Settings.load()) as clew, logged(clew, "users grant", f"name={name}, {what}"):
        changed = clew.change_user(name, all_corpora=True) if corpus is None else None
        changed = changed or clew.grant(name, corpus or "")
    _tell(changed, as_json)


@users_app.command()
def revoke(
    name: Name,
    corpus: Annotated[str | None, typer.Argument(help="Name of the corpus.")] = None,
    all_corpora: Annotated[
        bool, typer.Option("--all", help="Only what was granted by name stays.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take a grant back, or `--all`, which leaves those that were granted by name."""
    what = _one_or_all(corpus, all_corpora)
    with Clew(Settings.load()) as clew, logged(clew, "users revoke", f"name={name}, {what}"):
        changed = clew.change_user(name, all_corpora=False) if corpus is None else None
        changed = changed or clew.revoke(name, corpus or "")
    _tell(changed, as_json)


@users_app.command()
def disable(name: Name, as_json: AsJson = False) -> None:
    """Let a user and their keys in no more; their sessions end within a second."""
    with Clew(Settings.load()) as clew, logged(clew, "users disable", f"name={name}"):
        changed = clew.change_user(name, disabled=True)
    _tell(changed, as_json)


@users_app.command()
def enable(name: Name, as_json: AsJson = False) -> None:
    """Let a user in again who was disabled."""
    with Clew(Settings.load()) as clew, logged(clew, "users enable", f"name={name}"):
        changed = clew.change_user(name, disabled=False)
    _tell(changed, as_json)


@users_app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a user with their grants and API keys. The last administrator stays."""
    if not yes:
        typer.confirm(f"Delete {name}, with what is granted and all keys?", abort=True)
    with Clew(Settings.load()) as clew, logged(clew, "users delete", f"name={name}"):
        keys = clew.delete_user(name)
    if as_json:
        print_json({"user": name, "keys": keys})
    else:
        console.print(f"Deleted {name}, with {keys} API key{'' if keys == 1 else 's'}.")


@users_app.command()
def password(name: Name, as_json: AsJson = False) -> None:
    """Set a user's password, asked for or read from standard input; their sessions end."""
    new = _password()
    with Clew(Settings.load()) as clew, logged(clew, "users password", f"name={name}"):
        changed = clew.change_user(name, password=new)
    _tell(changed, as_json)


@keys_app.command("list", hidden=True)
@keys_app.callback()
def keys(context: typer.Context, as_json: AsJson = False) -> None:
    """List the API keys, without what they are; or make or revoke one."""
    if not is_listing(context):
        return
    with Clew(Settings.load()) as clew:
        found = clew.api_keys()
    if as_json:
        print_json(found)
        return
    if not found:
        console.print("There is no API key yet. Make one: `clew keys create USER --name WHAT`.")
        return
    rows = [
        (
            *(key.id, key.name, key.user, " ".join(key.scopes)),
            *(Text(key.state, STYLES[key.state]), key.expires_at[:10]),
            (key.last_used_at or "never")[:16].replace("T", " "),
        )
        for key in found
    ]
    console.print(
        table("API keys", ("id", "name", "user", "scopes", "state", "until", "last used"), rows)
    )


@keys_app.command("create")
def create_key(
    user: Annotated[str, typer.Argument(help="Whom the key acts for.", show_default=False)],
    name: Annotated[str, typer.Option(help="What it is for.", show_default=False)],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="query, ingest, admin: what readers, editors, administrators may do; repeatable. "
            "[default: query]"
        ),
    ] = None,
    days: Annotated[int, typer.Option(help="How long it lives.", min=1)] = DEFAULT_DAYS,
    as_json: AsJson = False,
) -> None:
    """Make an API key, and print it: this once, it is not kept.

    Example: `clew keys create crawler --name "nightly crawl" --scope ingest --scope query`
    """
    scopes = cast(Sequence[Scope], scope or ("query",))
    target = f"user={user}, name={name}, scopes={' '.join(scopes)}, days={days}"
    with Clew(Settings.load()) as clew, logged(clew, "keys create", target):
        made = clew.create_api_key(user, name, scopes, days)
    if as_json:
        print_json(made)
        return
    errors.print(
        f"The key {made.id} acts for {user} until {made.expires_at[:10]}. Keep it now, it is "
        "not shown again; send it as `Authorization: Bearer …`.",
        markup=False,
        highlight=False,
    )
    print(made.key)


@keys_app.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key.", show_default=False)],
) -> None:
    """End an API key for good, within a second."""
    with Clew(Settings.load()) as clew, logged(clew, "keys revoke", f"key_id={key_id}"):
        clew.revoke_api_key(key_id)
    console.print(f"The key {key_id} is revoked.", markup=False, highlight=False)


def audit(
    who: Annotated[str, typer.Option(help="Only what this one did.")] = "",
    action: Annotated[str, typer.Option(help="Only actions that begin so.")] = "",
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 50,
    offset: Annotated[int, typer.Option(help="How many to skip.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """List who changed what, newest first.

    Example: `clew audit --who ada --action documents`
    """
    with Clew(Settings.load()) as clew:
        found = clew.audit(who, action, limit, offset)
        total = clew.audit_count(who, action)
    if as_json:
        print_json(found)
        return
    if not found:
        some = bool(who or action or offset)
        console.print("The log has no such line." if some else "Nothing was changed yet.")
        return
    rows = [
        (
            entry.at[:19].replace("T", " "),
            *(entry.who, entry.action, entry.target),
            Text(entry.outcome, "green" if entry.outcome == "done" else "yellow"),
        )
        for entry in found
    ]
    title = f"Audit log: {offset + 1} to {offset + len(found)} of {total}"
    console.print(table(title, ("when", "who", "action", "target", "outcome"), rows))


def _password() -> str:
    """Ask for a password twice, or read a line from standard input that is no terminal."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline().rstrip("\r\n")
        if not line:
            raise InvalidRequest(
                "Standard input holds no password.",
                remedy="Write it there, or run this in a terminal; --no-password makes a user for "
                "API keys alone.",
            )
        return line
    first = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != first:
        raise InvalidRequest("The two passwords differ.", remedy="Try again.")
    return first


def _one_or_all(corpus: str | None, all_corpora: bool) -> str:
    if (corpus is None) != all_corpora:
        raise InvalidRequest(
            "Neither a corpus nor --all is given." if corpus is None else "Both are given.",
            remedy="Name a corpus, or say --all.",
        )
    return "all corpora" if corpus is None else f"corpus={corpus}"


def _tell(user: User, as_json: bool) -> None:
    if as_json:
        print_json(user)
        return
    _print([user])


def _print(found: Sequence[User]) -> None:
    rows = [
        (
            user.name,
            user.role,
            "every one" if user.all_corpora else ", ".join(user.corpora) or "none",
            "disabled" if user.disabled else "yes" if user.can_log_in else "keys only",
            user.keys,
        )
        for user in found
    ]
    console.print(table("Users", ("name", "role", "corpora", "lets in", "keys"), rows))
