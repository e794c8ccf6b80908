"""GET /settings: every setting of the web server, where it came from, secrets masked."""

from dataclasses import asdict

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field

from clew.settings.listing import settings_list
from clew_web.api.responses import SECURITY, reply
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "settings",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Settings", description="What this server was started with.")],
    abp_security=SECURITY,
)


class Setting(BaseModel):
    """A setting: its value as text (a secret that is set is masked), and where that came from."""

    name: str
    group: str = Field(description="Prefix of the method whose option it is; '' for Clew's own.")
    value: str
    source: str = Field(description="argument, environment, file or default.")
    variable: str
    meaning: str
    secret: bool


class SettingList(BaseModel):
    """Every setting."""

    settings: list[Setting]


@api.get("/settings", summary="The settings", responses={"200": SettingList})
@allows("admin", Corpora.NONE)
def list_settings() -> Response:
    """Every setting of the web server; workers are processes of their own, and may have others."""
    found = [Setting(**asdict(one)) for one in settings_list(backend().settings)]
    return reply(SettingList(settings=found))
