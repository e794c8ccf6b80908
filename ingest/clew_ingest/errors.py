"""What can go wrong in the ingest layer, each error with what to do next."""


class IngestError(Exception):
    """Base of every error of this layer.

    ``exit_code`` is what the CLI ends with, ``http_status`` what REST answers with,
    ``remedy`` the sentence that tells a person what to do next.
    """

    exit_code = 4
    http_status = 500

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class UnreadableSource(IngestError):
    """One file, record or page could not be turned into text; the others go on."""

    exit_code = 3
    http_status = 422


def protected() -> UnreadableSource:
    """Return the error of a file that only opens with a password."""
    return UnreadableSource("The file is protected by a password.", remedy="Save it without one.")


class ReadingInterrupted(UnreadableSource):
    """The process that read a source was ended, or took too long: nobody knows whether the source
    is the reason, so that its bytes and its earlier version are kept.
    """

    http_status = 503


class UnsupportedMediaType(UnreadableSource):
    """No reader exists for this kind of file."""

    http_status = 415


class SourceTooLarge(UnreadableSource):
    """A file is over a limit of the settings."""

    http_status = 413


class SourceGone(UnreadableSource):
    """A page is not there any more, as its server says (404 or 410)."""

    http_status = 404


class AddressRefused(UnreadableSource):
    """A URL leads to an address that must not be fetched."""

    http_status = 403


class IngestCancelled(IngestError):
    """The run was cancelled; what was written stays and is consistent."""

    exit_code = 130
    http_status = 409


class ParserNotInstalled(IngestError):
    """The spaCy pipeline that a setting names is not on this machine, or lacks a part."""

    exit_code = 6
    http_status = 503
