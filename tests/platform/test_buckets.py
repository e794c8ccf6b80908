"""S3-compatible buckets as sources, read from a real S3 server (moto's)."""

import http.client
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from minio import Minio
from moto.server import ThreadedMotoServer

from clew import Clew
from clew.errors import InvalidRequest
from clew.results.schedule import NewSchedule, Reindexing
from clew_cypher.embedded import free_ports
from clew_ingest.errors import SourceGone, SourceTooLarge, UnreadableSource
from clew_ingest.reading.buckets import (
    BucketAccess,
    BucketObject,
    bucket_and_prefix,
    objects_below,
    read_object,
)

from ..running_clew import OwnSettings
from .schedule_runs import done, titles


@dataclass
class Bucket:
    """A bucket on the server, with what was asked of it."""

    access: BucketAccess
    name: str

    @property
    def client(self) -> Minio:
        return Minio(
            urlsplit(self.access.endpoint).netloc,
            self.access.access_key,
            self.access.secret_key,
            secure=False,
            region=self.access.region,
        )

    def put(self, **texts: str) -> None:
        import io

        for key, text in texts.items():
            name = key.replace("__", "/") + ".md"
            self.client.put_object(self.name, name, io.BytesIO(text.encode()), len(text.encode()))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    (port,) = free_ports(0)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, corpus: str) -> Bucket:
    access = BucketAccess(endpoint, "us-east-1", "any", "thing", path_style=True)
    made = Bucket(access, f"b-{corpus.lower().replace('_', '-')}")
    made.client.make_bucket(made.name)
    return made


@pytest.fixture
def clew(own_settings: OwnSettings, corpus: str, tmp_path: Path, bucket: Bucket) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path / "home",
        corpus=corpus,
        broker_url="redis://127.0.0.1:9/0",
        s3_endpoint=bucket.access.endpoint,
        s3_access_key=bucket.access.access_key,
        s3_secret_key=bucket.access.secret_key,
        s3_buckets=f"other, {bucket.name}/shared",
    )
    with Clew(settings) as opened:
        yield opened
        for schedule in opened.schedules(corpus):
            opened.delete_schedule(schedule.id)


def nightly(*sources: str, **more: Any) -> NewSchedule:
    return NewSchedule(name="Bucket", cron="0 3 * * *", reindex=Reindexing(sources=sources, **more))


# addresses


@pytest.mark.parametrize("given", ["s3://", "s3:///x", "s3://a", "s3://a b/c", "s3://-a/b"])
def test_what_names_no_bucket_is_refused(given: str) -> None:
    with pytest.raises(UnreadableSource, match="names no bucket"):
        bucket_and_prefix(given)


def test_a_prefix_is_a_folder(bucket: Bucket) -> None:
    bucket.put(a="1", a__b="2", ab="3", a__c__d="4")
    found = [item.key for item in objects_below(f"s3://{bucket.name}/a/", bucket.access)]
    assert found == ["a/b.md", "a/c/d.md"]
    assert len(list(objects_below(f"s3://{bucket.name}", bucket.access))) == 4
    (one,) = objects_below(f"s3://{bucket.name}/a.md", bucket.access)
    assert (one.uri, one.size) == (f"s3://{bucket.name}/a.md", 1)


def test_keys_are_not_in_what_access_prints() -> None:
    assert "hush" not in repr(BucketAccess("https://x", "r", "hush", "hush", path_style=True))


def test_an_object_over_the_limit_or_gone_says_so(bucket: Bucket) -> None:
    bucket.put(big="x" * 2000)
    (item,) = objects_below(f"s3://{bucket.name}", bucket.access)
    with pytest.raises(SourceTooLarge):
        read_object(item, bucket.access, 1000)
    grown = BucketObject(item.bucket, item.key, item.etag, 10)
    with pytest.raises(SourceTooLarge):
        read_object(grown, bucket.access, 1000)
    assert read_object(item, bucket.access, 2000) == b"x" * 2000
    bucket.client.remove_object(bucket.name, item.key)
    with pytest.raises(SourceGone):
        read_object(item, bucket.access, 2000)


# indexed again and again


def test_reading_again_indexes_what_changed_and_deletes_what_vanished(
    clew: Clew, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Aurelia", "Seld", "Vessa"):
        bucket.put(**{f"shared__{name}": f"{name} is a ship. She was built in 1874.\n"})
    bucket.put(shared2__Other="Another ship lies in another folder.\n")
    clew.ingest(f"s3://{bucket.name}/shared2")
    address = f"s3://{bucket.name}/shared"
    keeps = clew.add_schedule(nightly(address))
    deletes = clew.add_schedule(nightly(address + "/", gone="delete"), confined=True)
    assert deletes.params["sources"] == [address]
    first = done(clew, deletes.id)
    assert (first.state, first.progress["ready"], first.progress["deleted"]) == ("done", 3, 0)
    before = clew.stats().model_dump()
    fetched: list[str] = []

    def counted(item: BucketObject, access: BucketAccess, limit: int) -> bytes:
        fetched.append(item.key)
        return read_object(item, access, limit)

    monkeypatch.setattr("clew_ingest.reading.sources.read_object", counted)
    again = done(clew, deletes.id)
    assert (again.state, again.progress["unchanged"], again.progress["ready"]) == ("done", 3, 0)
    assert clew.stats().model_dump() == before
    assert fetched == []  # an ETag that is known costs no byte
    bucket.put(shared__Aurelia="Aurelia is a lighthouse. She was built in 1901.\n")
    bucket.client.remove_object(bucket.name, "shared/Seld.md")
    kept = done(clew, keeps.id)
    assert (kept.progress["ready"], kept.progress["deleted"]) == (1, 0)
    assert fetched == ["shared/Aurelia.md"]
    assert titles(clew) == ["Aurelia", "Other", "Seld", "Vessa"]
    assert done(clew, deletes.id).progress["deleted"] == 1
    assert titles(clew) == ["Aurelia", "Other", "Vessa"]


def test_a_bucket_that_is_empty_or_away_takes_nothing_with_it(clew: Clew, bucket: Bucket) -> None:
    bucket.put(shared__Aurelia="Aurelia is a ship. She was built in 1874.\n")
    schedule = clew.add_schedule(nightly(f"s3://{bucket.name}/shared", gone="delete"))
    assert done(clew, schedule.id).state == "done"
    bucket.client.remove_object(bucket.name, "shared/Aurelia.md")
    empty = done(clew, schedule.id)
    assert (empty.state, "none was deleted" in empty.error) == ("failed", True)
    bucket.client.remove_bucket(bucket.name)
    away = done(clew, schedule.id)
    assert (away.state, "NoSuchBucket" in away.error) == ("failed", True)
    assert titles(clew) == ["Aurelia"]


def test_an_endpoint_that_is_down_fails_the_job_and_loses_nothing(
    clew: Clew, bucket: Bucket
) -> None:
    bucket.put(shared__Aurelia="Aurelia is a ship. She was built in 1874.\n")
    schedule = clew.add_schedule(nightly(f"s3://{bucket.name}/shared", gone="delete"))
    assert done(clew, schedule.id).state == "done"
    (closed,) = free_ports(0)
    clew.settings.__dict__["s3_endpoint"] = f"http://127.0.0.1:{closed}"
    down = done(clew, schedule.id)
    assert (down.state, "did not answer as expected" in down.error) == ("failed", True)
    assert titles(clew) == ["Aurelia"]


def test_wrong_keys_say_so(bucket: Bucket) -> None:
    host = urlsplit(bucket.access.endpoint).netloc

    def actions_without_keys(count: int) -> None:
        connection = http.client.HTTPConnection(host)
        connection.request("POST", "/moto-api/reset-auth", str(count))
        assert connection.getresponse().status == 200

    actions_without_keys(0)
    try:
        with pytest.raises(UnreadableSource, match="InvalidAccessKeyId") as caught:
            list(objects_below(f"s3://{bucket.name}", bucket.access))
    finally:
        actions_without_keys(10**9)
    assert "s3_access_key" in (caught.value.remedy or "")
    assert "thing" not in str(caught.value)


def test_a_redirect_is_not_followed(bucket: Bucket) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    asked: list[str] = []

    class Redirects(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(307)
            self.send_header("Location", f"{bucket.access.endpoint}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Redirects)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        access = BucketAccess(
            f"http://127.0.0.1:{server.server_port}", "us-east-1", "any", "thing", path_style=True
        )
        bucket.put(a="1")
        with pytest.raises(UnreadableSource):
            list(objects_below(f"s3://{bucket.name}", access))
    finally:
        server.shutdown()
        server.server_close()
    assert len(asked) == 1


# who may name which


def test_over_the_network_only_the_buckets_of_the_setting_are_read(
    clew: Clew, bucket: Bucket
) -> None:
    assert clew.add_schedule(nightly(f"s3://{bucket.name}/shared/x"), confined=True)
    assert clew.add_schedule(nightly("s3://other"), confined=True)
    for address in (bucket.name, f"{bucket.name}/shared2", f"{bucket.name}/share", "others"):
        with pytest.raises(InvalidRequest, match="reads no such bucket"):
            clew.add_schedule(nightly(f"s3://{address}"), confined=True)


def test_without_an_endpoint_a_bucket_is_refused_before_it_is_scheduled(clew: Clew) -> None:
    clew.settings.__dict__["s3_endpoint"] = None
    with pytest.raises(InvalidRequest, match="No endpoint is set"):
        clew.add_schedule(nightly("s3://other"))
    with pytest.raises(UnreadableSource, match="No endpoint is set"):
        clew.ingest("s3://other")
