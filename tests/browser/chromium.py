"""A headless Chromium on one page, spoken to over its debugging pipe; by default, nothing of the network is there."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time


def program():
    """The browser's path, or None."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Chromium:
    """`errors` holds what the page's console complained of, `requests` all addresses that it asked for."""

    def __init__(self, offline=True):
        self.errors, self.requests, self._events = [], [], []
        self._number, self._received = 0, b""
        self._folder = tempfile.TemporaryDirectory(prefix="kml-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def as_three_and_four():  # where the browser looks for its pipe
            moved = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
            os.dup2(moved[0], 3)
            os.dup2(moved[1], 4)

        self._process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe",
             "about:blank"],
            close_fds=False, preexec_fn=as_three_and_four, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = ours_in, ours_out
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=0 if offline else -1, uploadThroughput=0 if offline else -1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._folder.name, ignore_errors=True)
        self._folder._finalizer.detach()

    def _receive(self):
        while b"\0" not in self._received:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise RuntimeError("the browser has gone")
            self._received += more
        text, self._received = self._received.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method:
            self._events.append(method)
        return message

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def look(self, width=1280, dark=False, height=900):
        """Sets the window's size and its colors."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url, width=1280, height=900, dark=False):
        """Seconds until the page has loaded."""
        self.look(width, dark, height)
        self._events.clear()
        begin = time.monotonic()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._events:
            self._receive()
        return time.monotonic() - begin

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def move_to(self, selector):
        """Rests the pointer on the middle of an element."""
        place = self.evaluate(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
                              "const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
        return place

    def press(self, key, text=None):
        """Presses a key as a user does: "j", "Enter", "Escape"."""
        text = text if text is not None else key if len(key) == 1 else "\r" if key == "Enter" else ""
        code = {name: {"windowsVirtualKeyCode": number} for name, number in (("Enter", 13), ("Escape", 27))}.get(key, {})
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def wait_for(self, expression, patience=60):
        """Waits until the expression is true."""
        end = time.monotonic() + patience
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise RuntimeError(f"never true: {expression}; the page: {self.evaluate('document.body.innerText')[:2000]}")
            time.sleep(0.02)

    def screenshot(self, path, **options):
        """Of the whole page; options are those of Page.captureScreenshot."""
        picture = self.call("Page.captureScreenshot", **{"format": "png", "captureBeyondViewport": True, **options})
        with open(path, "wb") as out:
            out.write(base64.b64decode(picture["data"]))
