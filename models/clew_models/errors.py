"""What can go wrong in the models layer, each error with what to do next."""


class ModelError(Exception):
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


class ModelNotInstalled(ModelError):
    """The weights that a setting names are not on this machine."""

    exit_code = 6
    http_status = 503


class LanguageModelUnavailable(ModelError):
    """The language-model endpoint does not answer, or refuses the request.

    ``lasting``: no model is set, so that asking again changes nothing.
    """

    exit_code = 5
    http_status = 503

    def __init__(self, message: str, *, remedy: str = "", lasting: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.lasting = lasting


class PromptRefused(LanguageModelUnavailable):
    """The model answers, but not to this prompt: too long, filtered, or not understood.

    Other prompts may go through, so it costs what this one was for.
    """

    http_status = 422


class MalformedOutput(ModelError):
    """A model's output did not have the form that was asked for."""

    http_status = 502
