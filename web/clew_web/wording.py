"""The words of errors: of the statuses, and for who reads a page."""

from clew.errors import without_commands

MESSAGES = {
    400: ("The request cannot be understood.", "Check its form against /docs."),
    401: (
        "This needs an access token, an API key or a login.",
        "Send a token or key as `Authorization: Bearer …`, or log in.",
    ),
    403: ("This is not allowed.", "Send the request from Clew's own pages or without a browser."),
    404: ("There is nothing at this address.", "/docs lists every address of the API."),
    405: ("This address does not take that method.", "The Allow header names those it takes."),
    409: ("It cannot be done as things are now.", "The message says what stands against it."),
    413: ("The request is too large.", "Send fewer or smaller files at once."),
    414: ("The address is too long.", "Send fewer ids at once."),
    415: ("The body's media type is not taken here.", "Send `Content-Type: application/json`."),
    421: ("This server answers to localhost only.", "Open it by a name of this machine."),
    422: ("The request has values that cannot be used.", "Correct the fields that are named."),
    429: ("Too many requests.", "Wait as long as Retry-After says, then try again."),
    431: ("The request's header is too large.", "Send fewer or shorter headers."),
    500: ("Something went wrong on the server.", "Its log holds the cause; try again."),
    502: ("A language model did not answer in the form it was asked for.", "Try again."),
    503: ("The service is not ready.", "`clew status` says what is missing."),
    504: ("It took too long.", "Raise query_timeout_s, or ask what takes less."),
}
"""Of each status the message and the remedy, where an error has none of its own."""
ON_PAGES = {
    "unknown_corpus": "The page Corpora lists those there are; documents that are added make one.",
    "unknown_document": "The page Documents lists those there are.",
    "unknown_merge": "It may be undone already: the page Merges lists those there are.",
    "unknown_job": "The page Jobs lists those there are; those that ended long ago are forgotten.",
    "unknown_schedule": "The page Schedules lists those there are.",
    "unknown_webhook": "The page Webhooks lists those there are.",
    "unknown_bench_run": "The page Bench lists the kept runs.",
    "unknown_user": "The page Users lists them.",
    "unknown_api_key": "The page Users lists the keys.",
    "worker_unavailable": "The home page shows what is running, and what to do.",
    MESSAGES[400][1]: "Go back, and try again.",
    MESSAGES[404][1]: "Check the address, or go on from the home page.",
    MESSAGES[405][1]: "Go back, and use the page's own buttons.",
    MESSAGES[414][1]: "Choose fewer at once.",
    MESSAGES[422][1]: "Correct it, then try again.",
    MESSAGES[429][1]: "Wait a few minutes, then try again.",
    MESSAGES[503][1]: "The home page says what is missing.",
}
"""Remedies for who reads a page and has no command line: in place of others, and by the code of an
error whose own names nothing but commands."""


def on_page(code: str, remedy: str) -> str:
    """Return an error's remedy for who reads a page: without what is done on a command line."""
    return ON_PAGES.get(remedy) or without_commands(remedy) or ON_PAGES.get(code, "")
