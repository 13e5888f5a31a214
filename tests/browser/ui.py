#!/usr/bin/env python3
"""Opens `kml ui --web` in a browser and checks each view while jobs change.

    tests/browser/ui.py [--pictures FOLDER] [--rows N]    --pictures keeps a picture of each view: light, dark, narrow
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from chromium import Chromium

KML = os.environ["KML"]
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
VIEWS = ["queue", "jobs", "nodes", "runs", "sweeps", "pipelines", "serves", "schedules"]
SAFE = "[document.querySelectorAll('img, iframe, main script, #content script').length, window.hacked ?? null]"


def kml(*words, check=True):
    return subprocess.run([KML, *words], capture_output=True, text=True, check=check).stdout


def prepare():
    """Objects for each view, with texts that a careless page would run."""
    kml("submit", "--name", "done", "--wait", "--env", f"NOTE={HOSTILE}", "--", "sh", "-c",
        f"echo \"{HOSTILE}\"; for s in 1 2 3 4; do echo step=$s loss=0.$s; done")
    kml("submit", "--name", "broken", "--wait", "--", "sh", "-c", f"echo \"{HOSTILE}\" >&2; sleep 2; exit 3", check=False)
    kml("runs", "note", "done", HOSTILE)
    kml("submit", "--name", "other", "--wait", "--", "sh", "-c", "for s in 1 2 3 4; do echo step=$s loss=0.2$s; done")
    kml("sweep", "run", "tuned", "--param", "lr=0.1..1", "--param", f"opt=adam,{HOSTILE}", "--maximize", "score", "--trials", "6", "--",
        "sh", "-c", "echo score=$0 $1", "{lr}", "{opt}")
    pathlib.Path("pipeline.yaml").write_text("""apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: iris}
spec:
  steps:
    load: {command: [sh, -c, 'echo data >"${out.train}"'], outputs: {train: dataset}}
    train: {inputs: {train: load.train}, outputs: {model: model}, command: [cp, "${in.train}", "${out.model}"]}
    check: {inputs: {model: train.model}, command: [sh, -c, 'exit 1', "${in.model}"]}
    tell: {foreach: {word: [HOSTILE]}, outputs: {said: value}, command: [sh, -c, 'echo "$0" >"$1"; echo "$0" >&2; exit 4', "${item.word}", "${out.said}"]}
""".replace("HOSTILE", json.dumps(HOSTILE)))
    kml("run", "pipeline.yaml", "--name", "iris-1", "--keep-going", check=False)
    kml("serve", "web", "--", "sh", "-c", "exec python3 -m http.server $PORT", "sh", HOSTILE)
    kml("submit", "--name", "nightly", "--cron", "0 3 * * *", "--", "echo", HOSTILE)
    kml("submit", "--name", "busy", "--gpus", "2", "--", "sh", "-c", "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.2; done")
    kml("submit", "--name", "waits", "--gpus", "4", "--", "sleep", "1000")


class Page:
    def __init__(self, browser, pictures, *flags):
        self.browser, self.pictures = browser, pictures
        self.process = subprocess.Popen([KML, "ui", "--web", "--no-browser", "--actions", *flags], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def text(self):
        return self.browser.evaluate("document.getElementById('content').innerText")

    def names(self):
        return self.browser.evaluate("[...document.querySelectorAll('.body .row')].map((row) => [...row.children].map((cell) => cell.textContent))")

    def go(self, place, condition):
        self.browser.evaluate(f"location.hash = '#/{place}'")
        self.browser.wait_for(condition)
        assert self.browser.evaluate(SAFE) == [0, None], place
        self.picture(place.split("/")[0])

    def picture(self, name):
        if not self.pictures:
            return
        browser = self.browser
        for look, width, dark in (("light", 1280, False), ("dark", 1280, True), ("narrow", 500, False)):
            browser.look(width, dark)
            time.sleep(0.1)
            browser.screenshot(self.pictures / f"{name}-{look}.png")
        browser.look(1280, False)


def row_with(name, *texts):
    """An expression: whether a row has this name and, in other cells, these texts."""
    wanted = " && ".join(f"row.textContent.includes({text!r})" for text in texts) or "true"
    return (f"[...document.querySelectorAll('.body .row')].some((row) => "
            f"[...row.children].some((cell) => cell.textContent === {name!r}) && {wanted})")


def click_on(name):
    return f"[...document.querySelectorAll('.body .row')].find((row) => row.textContent.includes({name!r})).click()"


def check_live(page):
    browser = page.browser
    # The page has the same views as the terminal.
    assert browser.evaluate("[...document.querySelectorAll('#views li')].map((each) => each.dataset.view)") == VIEWS
    browser.wait_for("location.hash === '#/queue'")
    page.go("jobs", row_with("waits", "Waiting"))
    assert browser.evaluate(row_with("broken", "Failed"))
    # If Kueue tells the position of a job, that position counts.
    rows = [{"table": "jobs", "change": "set", "cluster": "c", "id": f"{place}", "order": f"{place}", "row": {"group": "q", **told}}
            for place, told in enumerate([{}, {"position": 7}, {"position": 0}])]
    store = (pathlib.Path(__file__).parents[2] / "src/live/web/page/store.js").read_text()
    positions = f"applyChanges({json.dumps(rows)}); return rowsOf('jobs').map((each) => each.position);"
    assert browser.evaluate(f"(() => {{ {store}\n{positions} }})()") == [1, 7, 3]
    # A note disappears after some seconds, as in the terminal.
    notes = ("applyChanges([{change: 'note', cluster: 'c', text: 'few nodes'}]); const shown = () => clustersWithNewNotes().map((each) => each.note);"
             " const before = shown(); clusters.get('c').noted -= 16000; return [before, shown()];")
    assert browser.evaluate(f"(() => {{ {store}\n{notes} }})()") == [["few nodes"], []]
    kml("cancel", "busy")
    begin = time.monotonic()
    browser.wait_for(row_with("busy", "Cancelled"))
    print(f"a cancelled job is shown {1000 * (time.monotonic() - begin):.0f} ms after kml cancel has ended")
    browser.wait_for(row_with("waits", "Running"))
    page.go("queue", row_with("waits", "Running"))
    assert "busy" not in [cell for row in page.names() for cell in row]


def check_job(page):
    browser = page.browser
    kml("submit", "--name", "talks", "--", "sh", "-c", "i=0; while :; do i=$((i+1)); echo line $i loss=$((100 - i)); sleep 0.1; done")
    page.go("job/local/default%2FJob%2Ftalks", "document.querySelector('.log')?.textContent.includes('line 3')")
    browser.wait_for("document.querySelector('.log').textContent.includes('line 8')")
    # Its metrics are live, with a curve that grows.
    shown = "document.querySelector('#metrics:not([hidden]) dl')"
    browser.wait_for(f"{shown}?.textContent.includes('loss') && {shown}.querySelector('svg path')")
    value = f"Number({shown}.querySelector('dd').textContent)"
    before = browser.evaluate(value)
    browser.wait_for(f"{value} < {before}")
    page.go("job/local/default%2FJob%2Fbroken", "document.getElementById('content').innerText.includes('exit')")
    browser.wait_for("document.querySelectorAll('#bars rect').length > 0")
    assert browser.evaluate("document.getElementById('metrics').hidden")
    browser.wait_for("document.querySelector('.log').textContent.includes('window.hacked')")
    assert browser.evaluate(SAFE) == [0, None]


def check_views(page):
    browser = page.browser
    page.go("nodes", "document.querySelectorAll('.gpu').length === 4")
    assert browser.evaluate("document.querySelectorAll('.gpu.held').length") == 4
    page.go("sweeps", row_with("tuned", "6/6", "Ended"))
    browser.press("Enter")
    browser.wait_for("document.querySelectorAll('#history .plot .mark').length === 6 && document.querySelectorAll('#parallel .line').length === 6")
    page.picture("sweep")
    page.go("pipelines", row_with("iris-1"))
    browser.press("Enter")
    browser.wait_for("document.querySelectorAll('.dag .step').length === 4 && document.querySelectorAll('.dag .edge').length === 2")
    assert browser.evaluate("document.querySelectorAll('.dag .step.bad').length") == 2
    assert "check" in page.text(), page.text()
    # Why a step ran is not the cause of its state.
    assert browser.evaluate("document.querySelector('.dag .step[data-step=load] .cause').textContent") == ""
    browser.evaluate("document.querySelector('.dag .step[data-step=load]').dispatchEvent(new Event('click'))")
    assert "ran because" in page.text(), page.text()
    page.picture("pipeline")
    page.go("serves", row_with("web", "Running", "http://"))
    page.go("schedules", row_with("nightly", "0 3 * * *"))


def check_growing(page):
    """A sweep that runs is drawn again with each trial; what the reader has chosen stays."""
    browser = page.browser
    kml("sweep", "run", "grows", "--detach", "--param", "lr=0.1..1", "--maximize", "score", "--trials", "8", "--parallel", "1", "--",
        "sh", "-c", "sleep 1; echo score={lr}")
    page.go("sweeps", row_with("grows"))
    browser.evaluate(click_on("grows"))
    marks = "document.querySelectorAll('#history .plot .mark').length"
    browser.wait_for(f"{marks} >= 1")
    assert browser.evaluate(marks) < 8
    browser.evaluate("(() => { const s = document.querySelector('#trials input'); s.value = 'complete'; s.dispatchEvent(new Event('input'));"
                     " document.querySelector('#history .tools button:last-child').click(); })()")
    browser.wait_for(f"{marks} === 8")
    browser.wait_for("document.getElementById('subtitle').textContent.includes('ended')")
    assert browser.evaluate("document.querySelector('#trials input').value") == "complete"
    assert browser.evaluate("document.querySelector('#history .tools [aria-pressed=true]').textContent") == "by time"


def check_compare(page):
    browser = page.browser
    page.go("runs", row_with("done") + " && " + row_with("other"))
    browser.press("/")
    browser.call("Input.insertText", text="loss")
    browser.press("Enter")
    names = [row[1] for row in page.names()]
    assert "done" in names and "other" in names, names
    for name in ("done", "other"):
        browser.press("g")
        for _ in range([row[1] for row in page.names()].index(name)):
            browser.press("j")
        browser.press(" ")
    browser.press("x")
    browser.wait_for("document.querySelectorAll('#curves .line').length >= 2")
    assert browser.evaluate(SAFE) == [0, None]
    page.picture("compare")
    browser.press("Escape")
    browser.wait_for("location.hash === '#/runs'")


def check_action(page):
    browser = page.browser
    page.go("job/local/default%2FJob%2Ftalks", "[...document.querySelectorAll('button')].some((b) => b.textContent === 'cancel')")
    browser.press("c")
    browser.wait_for("document.querySelector('dialog pre')?.textContent.startsWith('kml cancel talks')")
    assert "Running" in page.text()
    browser.wait_for("!document.querySelector('dialog .yes').disabled")
    page.picture("action")
    browser.evaluate("document.querySelector('dialog .yes').click()")
    browser.wait_for("document.querySelector('h1').textContent.includes('Cancelled')")
    browser.press("Escape")
    browser.wait_for("!document.querySelector('dialog')")
    browser.press("?")
    browser.wait_for("document.querySelector('dialog')")
    browser.press("Escape")


def check_recreated(page):
    """A deleted job is no longer said to run; a new job with its name has a page of its own."""
    browser, log = page.browser, "document.querySelector('.log')?.textContent"
    kml("submit", "--name", "again", "--", "sh", "-c", "echo the first; echo loss=5; sleep 1000")
    page.go("job/local/default%2FJob%2Fagain", f"{log}.includes('the first')")
    kml("delete", "again")
    browser.wait_for("document.querySelector('h1').textContent === 'again'")
    assert "does not exist any more" in page.text(), page.text()
    assert not browser.evaluate("[...document.querySelectorAll('button')].some((each) => each.textContent === 'cancel')")
    kml("submit", "--name", "again", "--", "sh", "-c", "echo the second; sleep 1000")
    browser.wait_for(f"{log}.includes('the second')")
    assert not browser.evaluate(f"{log}.includes('the first')")
    kml("cancel", "again")


def check_copies(page):
    """y copies the command that prints what is shown, and the page says so."""
    browser = page.browser
    for place, command in (("queue", "kml queue -A"), ("runs", "kml runs"), ("nodes", "kml top nodes"),
                           ("job/local/default%2FJob%2Fbroken", "kml why broken")):
        page.go(place, f"location.hash === '#/{place}' && document.getElementById('content').children.length > 0")
        browser.press("y")
        browser.wait_for(f"document.getElementById('connection').textContent.includes('{command} --context=local')")


def check_sizes(page):
    page.pictures = None  # they have sizes of their own
    for width, dark in ((1280, False), (500, False), (500, True)):
        page.browser.look(width, dark)
        for place in (*VIEWS, "job/local/default%2FJob%2Fbroken"):
            page.go(place, "document.getElementById('content').children.length > 0")
            page.browser.wait_for(f"location.hash === '#/{place}' && document.documentElement.scrollWidth <= {width}")
    papers = []
    for dark in (False, True):
        page.browser.look(1280, dark)
        papers.append(page.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] != papers[1], papers
    page.browser.look(1280, False)


def check_loss(page):
    """The page says that its server has ended."""
    page.process.send_signal(signal.SIGINT)
    assert page.process.wait(60) == 130
    page.browser.wait_for("document.getElementById('connection').classList.contains('bad')")
    assert "kml ui" in page.browser.evaluate("document.getElementById('connection').textContent")


def check_frozen(page):
    """The page says that a cluster does not answer, and shows changes again once it does."""
    bad = "document.getElementById('connection').classList.contains('bad')"
    server = int((pathlib.Path(os.environ["XDG_STATE_HOME"]) / "kml/local/server.pid").read_text())
    os.kill(server, signal.SIGSTOP)
    try:
        page.browser.wait_for(bad)
        assert "local: " in page.browser.evaluate("document.getElementById('connection').textContent")
    finally:
        os.kill(server, signal.SIGCONT)
    page.browser.wait_for(f"!{bad}")
    kml("submit", "--name", "thawed", "--", "sleep", "1000")
    page.go("jobs", row_with("thawed", "Running"))


def check_clusters(browser):
    """Two clusters, one of which does not answer and has a hostile name."""
    name = HOSTILE.replace(",", "")
    cluster = {"name": "dead", "cluster": {"server": "https://127.0.0.1:1"}}
    pathlib.Path("kubeconfig").write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "users": [{"name": "me", "user": {}}], "clusters": [cluster],
        "contexts": [{"name": name, "context": {"cluster": "dead", "user": "me"}}]}))
    page = Page(browser, None, "--context", f"local,{name}", "--kubeconfig", "kubeconfig")
    try:
        browser.open(page.address)
        browser.wait_for("location.pathname === '/'")
        page.go("jobs", row_with("broken", "Failed", "local"))
        browser.wait_for("document.getElementById('connection').textContent.includes('window.hacked')")
        page.go("job/local/default%2FJob%2Fbroken", "document.getElementById('content').innerText.includes('exit')")
        browser.wait_for("document.querySelector('.log').textContent.includes('window.hacked')")
        page.go("nodes", "document.querySelectorAll('.gpu').length === 4")
    finally:
        page.process.send_signal(signal.SIGINT)
        page.process.wait(60)


def check_fixed(browser):
    """The page that does not change: the same views, in a browser without a network."""
    kml("ui", "--web", "--once", "page.html")
    url = pathlib.Path("page.html").resolve().as_uri()
    with Chromium() as alone:
        alone.open(url)
        alone.wait_for(row_with("waits"))
        alone.evaluate("location.hash = '#/sweeps'")
        alone.wait_for(row_with("tuned"))
        alone.evaluate(click_on("tuned"))
        alone.wait_for("document.querySelectorAll('#history .plot .mark').length === 6")
        alone.evaluate("location.hash = '#/pipelines'")
        alone.wait_for(row_with("iris-1"))
        alone.evaluate(click_on("iris-1"))
        alone.wait_for("document.querySelectorAll('.dag .step').length === 4")
        for place, is_there in (("queue", row_with("waits")), ("nodes", "document.querySelectorAll('.gpu').length === 4"), ("runs", row_with("done")),
                                ("serves", row_with("web", "Running")), ("schedules", row_with("nightly")),
                                ("job/local/default%2FJob%2Fbroken", "document.getElementById('content').innerText.includes('exit code 3')")):
            alone.evaluate(f"location.hash = '#/{place}'")
            alone.wait_for(is_there)
            assert alone.evaluate(SAFE) == [0, None], place
        assert alone.requests == [url] and alone.errors == [], (alone.requests, alone.errors)


FRAMES = """(async () => {
  const scroller = document.querySelector(".scroller"), times = [];
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  await frame();
  for (let i = 0; i < 60; ++i) {
    const begin = performance.now();
    scroller.scrollTop += 1777;
    await frame();
    await frame();
    times.push((performance.now() - begin) / 2);
  }
  return times.sort((a, b) => a - b);
})()"""


def change_page(name, change):
    """Writes the fixed page as NAME with other data: what change(data) returns. Returns its address."""
    page = pathlib.Path("page.html").read_text()
    begin = page.index('<script id="data" type="application/json">') + len('<script id="data" type="application/json">')
    end = page.index("</script>", begin)
    data = json.dumps(change(json.loads(page[begin:end]))).replace("<", "\\u003c")
    pathlib.Path(name).write_text(page[:begin] + data + page[end:])
    return pathlib.Path(name).resolve().as_uri()


# Objects whose keys are names that users choose, such as names of parameters or artifacts.
NAMED = {"parameters", "metrics", "tags", "facts", "outputs", "heldBy", "params", "values", "courses"}


def poisoned(value, key=""):
    """The value with a hostile text after each text in it, except for times, and after each name that a user chose."""
    if isinstance(value, dict):
        return {name + HOSTILE * (key in NAMED): poisoned(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each) for each in value]
    if not isinstance(value, str) or re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", value):
        return value
    return value + HOSTILE


def poisoned_page(data):
    for change in data["changes"]:
        if "row" in change:
            change.update(id=change["id"] + HOSTILE, row=poisoned(change["row"]))
    for kind in data["reports"]:
        data["reports"][kind] = {key + HOSTILE: poisoned(report) for key, report in data["reports"][kind].items()}
    return data


def check_hostile():
    """Hostile names everywhere: of jobs, nodes, runs, parameters, steps, artifacts, served models, schedules, and their states and causes."""
    url = change_page("hostile.html", poisoned_page)
    with Chromium() as alone:
        alone.open(url)
        alone.wait_for("document.querySelector('.body .row')")
        for view in VIEWS:
            alone.evaluate(f"location.hash = '#/{view}'")
            alone.wait_for("document.getElementById('content').textContent.includes('window.hacked')")
            count = alone.evaluate("document.querySelectorAll('.body .row').length")
            assert count > 0 or view == "nodes", view
            for i in range(count if view not in ("serves", "schedules") else 0):
                alone.evaluate(f"location.hash = '#/{view}'")
                alone.wait_for(f"document.querySelectorAll('.body .row').length > {i}")
                alone.evaluate(f"document.querySelectorAll('.body .row')[{i}].click()")
                alone.wait_for(f"location.hash !== '#/{view}' && document.getElementById('content').textContent.includes('window.hacked')")
                assert alone.evaluate(SAFE) == [0, None], (view, i)
                for step in range(alone.evaluate("document.querySelectorAll('.dag .step').length")):
                    alone.evaluate(f"document.querySelectorAll('.dag .step')[{step}].dispatchEvent(new Event('click'))")
                    assert alone.evaluate(SAFE) == [0, None], (view, i, step)
            assert alone.evaluate(SAFE) == [0, None], view
        assert alone.requests == [url] and alone.errors == [], (alone.requests, alone.errors)


def check_unread():
    """A cluster that could not be read is not said to have nothing."""
    url = change_page("unread.html", lambda data: {**data, "changes": [{"change": "lost", "cluster": "dead", "text": "no route"}]})
    with Chromium() as alone:
        alone.open(url)
        for place, text in (("jobs", "The jobs of dead are unknown."), ("nodes", "The nodes of dead are unknown."),
                            ("job/dead/x", "dead cannot be read"), ("pipeline/dead/x", "dead cannot be read")):
            alone.evaluate(f"location.hash = '#/{place}'")
            alone.wait_for(f"document.getElementById('content').innerText.includes({text!r})")


def check_many(count):
    """A table of very many rows has few elements; its end and its filter are a key away."""
    changes = [{"change": "set", "cluster": "local", "table": "jobs", "id": f"lab/Job/job-{i}", "order": f"{i:08}",
                "row": {"name": f"job-{i}", "namespace": "lab", "state": "Waiting" if i % 3 else "Failed", "group": "a", "gpus": i % 9,
                        "cause": f"waits for {i % 7} GPUs", "created": "2026-01-01T00:00:00Z", "active": True, "user": "ana"}}
               for i in range(count)] + [{"change": "synced", "cluster": "local"}]
    url = change_page("many.html", lambda data: {**data, "changes": changes})
    with Chromium() as alone:
        took = alone.open(url)
        alone.wait_for(row_with("job-0"))
        rows = "document.querySelectorAll('.body .row').length"
        assert 10 < alone.evaluate(rows) < 80, alone.evaluate(rows)
        alone.press("G")
        alone.wait_for(row_with(f"job-{count - 1}"))
        alone.press("g")
        times = alone.evaluate(FRAMES)
        assert alone.evaluate(rows) < 80
        alone.press("/")
        alone.call("Input.insertText", text=f"job-{count - 7} ")
        alone.press("Enter")
        alone.wait_for(f"{rows} === 1")
        print(f"{count} rows: open after {took:.2f} s; a frame while scrolling: {times[30]:.1f} ms in the median, {times[-1]:.1f} ms at most")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10_000)
    options = parser.parse_args()
    prepare()
    with Chromium(offline=False) as browser:
        page = Page(browser, options.pictures)
        try:
            browser.open(page.address)
            browser.wait_for("location.pathname === '/'")
            for check in (check_live, check_job, check_views, check_growing, check_compare, check_action, check_recreated, check_copies, check_sizes, check_frozen):
                check(page)
            origins = {url.split("/")[2] for url in browser.requests if url.startswith("http")}
            assert len(origins) == 1, origins
            assert browser.errors == [], browser.errors
            check_loss(page)
        finally:
            page.process.kill()
            page.process.wait()
        check_clusters(browser)
        check_fixed(browser)
        check_hostile()
        check_unread()
        check_many(options.rows)


main()
