# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through its debugging pipe: what a browser makes of a page, and what it complains of."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from headroom.testbed.doctor import find_browser

PATIENCE_S = 60.0


@cache
def program() -> str | None:
    """The browser of this machine."""
    found = find_browser()
    return found[0] if found else None


class Browser:
    """One tab. `complaints` collects console errors and exceptions, `requests` every address that was asked for."""

    def __init__(self) -> None:
        found = program()
        assert found, "no Chromium"
        self.profile = tempfile.mkdtemp(prefix="headroom-browser-")
        to_browser, self.to = os.pipe()
        self.come, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and answers on descriptor 4.
        self.process = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec "$@" 3<&{to_browser} 4>&{from_browser}',
                "bash",
                found,
                *self.switches(),
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.buffer = b""
        self.number = 0
        self.session = ""
        self.loaded = False
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def switches(self) -> list[str]:
        return [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-quic",
            "--disable-sync",
            "--no-first-run",
            "--hide-scrollbars",
            f"--user-data-dir={self.profile}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--remote-debugging-pipe",
        ]

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        os.close(self.to)
        os.close(self.come)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends one command and waits for its answer; events that come in between are kept."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        octets = json.dumps(message).encode() + b"\0"
        while octets:
            octets = octets[os.write(self.to, octets) :]
        wanted = self.number
        while True:
            answer = self.receive()
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE_S
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.come], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.come, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser does not answer")
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(line)
        self.note(message.get("method", ""), message.get("params", {}))
        return message

    def note(self, event: str, found: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Network.requestWillBeSent":
            self.requests.append(found["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and found["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(argument.get("value")) for argument in found["args"]))
        elif event == "Log.entryAdded" and found["entry"]["level"] in ("error", "warning"):
            self.complaints.append(found["entry"]["text"])

    def open(self, path: Path, width: int = 1200, height: int = 900, dark: bool = False, mobile: bool = False) -> None:
        """Opens a file in a window of some size and waits until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self.loaded:
            self.receive()

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def screenshot(self, path: Path, whole: bool = True) -> None:
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self, path: Path) -> None:
        """Prints to A4."""
        answer = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(answer["data"]))


# Texts that run a script wherever a page takes them for more than a text; the second is one for links.
HARM = "window.harm=1"
HOSTILE = (
    f"</script></style></title></textarea></pre>--><script>{HARM}</script><img src=x onerror={HARM}><svg onload={HARM}>"
    f"</svg><details open ontoggle={HARM}></details>\"onfocus={HARM} autofocus='{{{{ 7*7 }}}}{{% raw %}}${{{HARM}}} "
    f"[a](javascript:{HARM}) <a href=javascript:{HARM}>a</a><base href=//example.invalid/>\x1b]0;x\x07\x9b\u202e\ufffe",
    f"javascript:{HARM}",
)

# What hostile texts have done to a page, or would do at a click.
DONE = """
(() => {
  const found = window.harm ? ["a script ran"] : [];
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      const leads = /^(href|src|srcdoc|action|formaction|xlink:href)$/.test(name);
      if (name.startsWith("on") || (leads && /^\\s*(javascript:|data:text)/i.test(value))) {
        found.push(`${element.tagName} ${name}=${value.slice(0, 80)}`);
      }
    }
  }
  return found;
})()
"""


def with_markup(html: str) -> str:
    """A page in which hostile texts are markup after all: its policy alone keeps them from running."""
    return html.replace("</main>", f"{HOSTILE[0]}<a id=trap href='{HOSTILE[1]}'>trap</a></main>", 1)


# What is drawn or written beyond the edge of the window or of a box that hides it.
CUT_OFF = """
(() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  for (const element of document.querySelectorAll("main *, header *")) {
    if (element.closest("thead") && getComputedStyle(element.closest("thead")).position === "absolute") continue;
    if (element.closest("nav, details:not([open]) > :not(summary), [hidden], defs, clipPath")) continue;
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden") continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    const name = `${element.tagName} ${element.textContent.trim().slice(0, 40)}`;
    if (box.right > width + 1 || box.left < -1) found.push(`${name}: ${box.left}..${box.right}`);
    const inner = element instanceof HTMLElement ? element.clientWidth : 0;
    const hidden = inner ? element.scrollWidth - inner : 0;
    if (hidden > 1 && style.overflowX !== "visible") found.push(`${name} hides ${hidden} px`);
  }
  if (document.documentElement.scrollWidth > width + 1) found.push("the page scrolls sideways");
  return found.slice(0, 8);
})()
"""

# Text whose contrast with its ground is below 4.5 to 1 (WCAG 2.1, 1.4.3).
LOW_CONTRAST = """
(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number);
  const linear = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = rgb => rgb.slice(0, 3).map(linear)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (; element; element = element.parentElement) {
      const colour = channels(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const texts = ".verdict, .soft, p, td, th, figcaption, summary, .of, a, footer, dt, dd, code";
  for (const element of document.querySelectorAll(texts)) {
    if (!element.textContent.trim() || !element.getBoundingClientRect().width) continue;
    const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
})()
"""
