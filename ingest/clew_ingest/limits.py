"""What a source may cost at most. The platform fills these in from its settings."""

from dataclasses import dataclass

from clew_ingest.reading.buckets import BucketAccess

MIB = 1024 * 1024


@dataclass(frozen=True)
class IngestLimits:
    """Limits of reading, sizes of batches; every size is in the unit its name ends with.

    A source over a limit is refused with SourceTooLarge (or its Document fails with it); nothing
    else is touched.
    """

    file_limit_mib: int = 50
    """Largest file, upload or page."""
    text_limit_mib: int = 20
    """Longest text of one document."""
    unpacked_limit_mib: int = 200
    """Largest sum of an archive's unpacked entries: files of Office, OpenDocument and e-books."""
    unpacked_ratio: int = 100
    """Largest ratio of unpacked to packed size, for archives that unpack to over 1 MiB."""
    archive_entries: int = 2_000
    """Most entries of an archive."""
    attachments: int = 50
    """Most attachments of an e-mail that are read; the others are named."""
    attached_mails: int = 1
    """How deep e-mails that are attached to e-mails are read."""
    pdf_pages: int = 5_000
    """Most pages of a PDF."""
    collection_records: int = 200_000
    """Most records of one collection file."""
    reader_timeout_s: float = 120.0
    """Wall clock of reading one file, in seconds; also of parsing one batch of its text."""
    reader_memory_mib: int = 2_048
    """Memory of the process that reads files."""
    url_bytes_mib: int = 10
    """Largest page that is fetched."""
    url_timeout_s: float = 10.0
    """Seconds a page may take, redirects and all."""
    url_ingest: bool = False
    """Whether URLs are fetched at all."""
    buckets: BucketAccess | None = None
    """How S3-compatible buckets are reached; None: they are not read."""
    chunk_tokens: int = 512
    """Token budget of a chunk with its title, in the embedder's tokens."""
    batch_chunks: int = 128
    """Chunks that are embedded and written together."""
    triple_vectors: bool = True
    """Whether each triple of a knowledge base is embedded; its names always are."""
    parser_processes: int = 1
    """Processes that parse; each takes about 300 MiB."""

    @property
    def file_bytes(self) -> int:
        """Largest file, in bytes."""
        return self.file_limit_mib * MIB

    @property
    def text_bytes(self) -> int:
        """Longest text of one document, in bytes of UTF-8."""
        return self.text_limit_mib * MIB

    @property
    def unpacked_bytes(self) -> int:
        """Largest unpacked archive, in bytes."""
        return self.unpacked_limit_mib * MIB
