"""Asking a service over HTTP: patience with its limits, and no trust in half an answer."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx
import tenacity

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from siteplan_gis.ingest.reference.credentials import Secret

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSING_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOST_REDIRECTS: Final = 5
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Manners:
    """How patient a connection is: tries, waits between them in seconds (doubling), and the largest answer in bytes."""

    attempts: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0
    timeout_s: float = 60.0
    largest_bytes: int = 256 << 20


class UnansweredError(InputError):
    """The service failed at every try; a smaller question may succeed."""


class PassingError(Exception):
    """A failure that may pass; `wait_s` is how long the service asks to wait, None where it does not say."""

    def __init__(self, problem: str, wait_s: float | None = None) -> None:
        super().__init__(problem)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer of a service."""

    content: bytes
    headers: Mapping[str, str]
    status: int


class Connection(AbstractContextManager["Connection"]):
    """One service. Redirects stay on its host, so that neither a secret nor trust travels elsewhere.

    Parameters
    ----------
    url
        Where the service is; only http and https, and a secret only over https or on this machine.
    token
        Sent as a header, so that it is in no address.
    """

    def __init__(self, url: str, manners: Manners, token: Secret | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError("a service's address begins with https://", file=shown(url), remedy="correct the url")
        if parts.username or parts.password:
            raise InputError(
                "the address holds a name or a password", file=shown(url),
                remedy="take it out and name an environment variable with token_env",
            )  # fmt: skip
        if token is not None and parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise InputError("a token is sent over https only", file=shown(url), remedy="use the https address")
        self.host = parts.hostname
        self._manners = manners
        self._token = token
        self._client = httpx.Client(
            verify=_trusted(), timeout=manners.timeout_s, headers={"User-Agent": "siteplan-gis"}
        )

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ask(
        self, url: str, params: Mapping[str, str] | None = None, *, form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None, check: Callable[[Answer], None] | None = None,
    ) -> Answer:  # fmt: skip
        """The whole answer; a GET, or a POST of `form`. `check` raises `PassingError` where the answer is no good.

        Raises
        ------
        UnansweredError
            If every try failed.
        InputError
            If the service refuses, or sends elsewhere, or the answer is too large.
        """
        manners = self._manners

        def once() -> Answer:
            answer = self._once(url, params, form, headers)
            if check is not None:
                check(answer)
            return answer

        def wait(state: tenacity.RetryCallState) -> float:
            problem = state.outcome.exception() if state.outcome is not None else None
            asked = problem.wait_s if isinstance(problem, PassingError) else None
            return float(asked if asked is not None else manners.first_wait_s * 2 ** (state.attempt_number - 1))

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(PassingError), wait=wait, reraise=True,
            stop=tenacity.stop_after_attempt(manners.attempts),
        )  # fmt: skip
        try:
            return retrying(once)
        except PassingError as problem:
            raise UnansweredError(
                f"the service failed {manners.attempts} times: {problem}", file=shown(url), remedy="try again later"
            ) from None

    def json(
        self, url: str, params: Mapping[str, str] | None = None, *, form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[dict[str, Any], bytes]:  # fmt: skip
        """An answer that is a JSON object, and its bytes. An error that comes with status 200 is an error."""
        found: list[dict[str, Any]] = []

        def check(answer: Answer) -> None:
            found[:] = [parsed(answer.content)]
            refuse_error(found[0], url)

        answer = self.ask(url, params, form=form, headers=headers, check=check)
        return found[0], answer.content

    def _once(
        self, url: str, params: Mapping[str, str] | None, form: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
    ) -> Answer:  # fmt: skip
        method = "GET" if form is None else "POST"
        sent = dict(headers or {})
        if self._token is not None:
            sent |= {"X-Esri-Authorization": f"Bearer {self._token.reveal()}"}
            sent |= {"Authorization": f"Bearer {self._token.reveal()}"}
        for _ in range(_MOST_REDIRECTS + 1):
            self._refuse_strangers(url)
            try:
                with self._client.stream(method, url, params=params, data=form, headers=sent) as reply:
                    if reply.is_redirect:
                        url, params = str(reply.url.join(reply.headers.get("location", ""))), None
                        continue
                    self._refuse_status(reply, url)
                    return Answer(self._body(reply, url), reply.headers, reply.status_code)
            except httpx.TimeoutException:
                raise PassingError(f"no answer within {self._manners.timeout_s:g} s") from None
            except (httpx.TransportError, httpx.DecodingError) as problem:
                raise PassingError(
                    f"the connection broke ({_one_line(str(problem)) or type(problem).__name__})"
                ) from None
        raise InputError("the service sends round in circles", file=shown(url), remedy="correct the url")

    def _refuse_strangers(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.hostname != self.host or parts.scheme not in {"http", "https"}:
            raise InputError(
                f"{self.host} sends on to {parts.hostname}", file=shown(url),
                remedy="if you trust it, write that address in the file of sources (--sources)",
            )  # fmt: skip
        if self._token is not None and parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise InputError("the service sends on to http, where a token would be readable", file=shown(url))

    def _refuse_status(self, reply: httpx.Response, url: str) -> None:
        status = reply.status_code
        if status in _PASSING_STATUS:
            raise PassingError(f"status {status}", self._asked_wait(reply))
        if status in {401, 403}:
            raise no_entry(url)
        if status >= 400:  # noqa: PLR2004
            raise InputError(f"the service answers with status {status}", file=shown(url), remedy="correct the url")

    def _asked_wait(self, reply: httpx.Response) -> float | None:
        """Seconds that `Retry-After` asks for, as a number or as a time against the service's own clock."""
        asked = reply.headers.get("retry-after", "").strip()
        if not asked:
            return None
        try:
            wait_s = float(asked)
        except ValueError:
            try:
                now = parsedate_to_datetime(reply.headers.get("date", ""))
                wait_s = (parsedate_to_datetime(asked) - now).total_seconds()
            except (ValueError, TypeError):
                return None
        if wait_s > self._manners.longest_wait_s:
            raise InputError(
                f"{self.host} asks to wait {wait_s:g} s", remedy="run the same command again then; it goes on where it stopped"
            )  # fmt: skip
        return max(wait_s, 0.0) if wait_s == wait_s else None  # noqa: PLR0124

    def _body(self, reply: httpx.Response, url: str) -> bytes:
        parts, size = [], 0
        for part in reply.iter_bytes():
            size += len(part)
            if size > self._manners.largest_bytes:
                raise InputError(
                    f"the answer is larger than {self._manners.largest_bytes >> 20} MB", file=shown(url),
                    remedy="ask for a smaller box",
                )  # fmt: skip
            parts.append(part)
        return b"".join(parts)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted: reading them takes longer than most answers."""
    return httpx.create_ssl_context()


def shown(url: str) -> str:
    """An address as it may be shown: without user, password and query.

    Examples
    --------
    >>> shown("https://me:secret@example.org/rest/0/query?token=abc")
    'https://example.org/rest/0/query'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def parsed(content: bytes) -> dict[str, Any]:
    """The JSON object of an answer; anything else may be a page of a service that is just being restarted."""
    try:
        document = json.loads(content)
    except ValueError:
        raise PassingError(
            f"the answer is no JSON: {_one_line(content[:_SHOWN].decode('utf-8', 'replace'))!r}"
        ) from None
    if not isinstance(document, dict):
        raise PassingError("the answer is no JSON object")
    return document


def no_entry(url: str) -> InputError:
    """The refusal of a service that asks for a token."""
    return InputError(
        "the service asks for a token", file=shown(url),
        remedy="name the environment variable or keyring entry that holds it with token_env in the file of sources",
    )  # fmt: skip


def refuse_error(document: dict[str, Any], url: str) -> None:
    """Refuse a document that tells an error, whatever status it came with."""
    error = document.get("error")
    if error is None and document.get("status") != "error":
        return
    about = error if isinstance(error, dict) else {"message": str(error or document.get("messages", ""))}
    if about.get("code") in {403, 498, 499}:
        raise no_entry(url)
    details = about.get("details")
    texts = [str(about.get("message", "")), *(map(str, details) if isinstance(details, list) else ())]
    raise PassingError(
        f"error {about.get('code', '')}: {_one_line(' '.join(texts))[:_SHOWN]}".replace("error :", "error:")
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
