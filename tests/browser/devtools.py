"""A headless Chromium spoken to over its debugging pipe: no driver, no port, no network."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "about:blank",
)  # fmt: skip
PATIENCE_S = 60.0


def chromium() -> str | None:
    """The browser's path, None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page. `events` holds everything that the browser told, in order."""

    def __init__(self, width: int = 1280, height: int = 1000) -> None:
        self.events: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._profile = tempfile.mkdtemp(prefix="profile-")
        command_out, self._commands = os.pipe()
        self._answers, answer_in = os.pipe()

        def place_pipes() -> None:
            # The browser reads commands from descriptor 3 and writes answers to 4.
            spare_in, spare_out = os.dup(command_out), os.dup(answer_in)
            os.dup2(spare_in, 3)
            os.dup2(spare_out, 4)

        self._process = subprocess.Popen(
            [str(chromium()), f"--user-data-dir={self._profile}", f"--window-size={width},{height}", *FLAGS],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=place_pipes,  # noqa: PLW1509, started before any thread
            close_fds=False,
        )  # fmt: skip
        os.close(command_out)
        os.close(answer_in)
        targets = self._send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the page and wait for its answer."""
        return self._send(method, session=self._session, **parameters)

    def forget(self) -> None:
        """Make ready for the next test: an empty page, no events, the window's own size."""
        self.call("Emulation.clearDeviceMetricsOverride")
        self.call("Page.navigate", url="about:blank")
        self.settle()
        self.events.clear()

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded and drawn."""
        start = len(self.events)
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + PATIENCE_S
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[start:]):
            self._read(deadline)
        self.settle()

    def settle(self) -> None:
        """Wait for two drawn frames, so that what a script began has happened."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")

    def run(self, script: str) -> Any:
        """The value of an expression in the page.

        Raises
        ------
        RuntimeError
            If the expression throws.
        """
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def requests(self) -> list[str]:
        """Addresses that the page asked for, other than its own file and data inside it."""
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("data:", "about:", "file:"))]

    def files(self) -> list[str]:
        """Local files that the page asked for."""
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if url.startswith("file:")]

    def complaints(self) -> list[str]:
        """Errors of scripts, messages of the console, refusals of the content policy, and dialogs."""
        kinds = {
            "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening",
        }  # fmt: skip
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def screenshot(self, path: Path) -> None:
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        """End the browser and forget its profile."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self._read(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser said nothing for {PATIENCE_S:g} s")
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self._buffer += part
        line, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
            if message["method"] == "Page.javascriptDialogOpening":
                self._dismiss(message.get("sessionId"))
        return message

    def _dismiss(self, session: str | None) -> None:
        message = {"id": next(self._numbers), "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
        os.write(self._commands, json.dumps({**message, "sessionId": session}).encode() + b"\0")
