#!/usr/bin/env python3
"""Opens reports in a browser and checks what is drawn against what their data says.

    tests/browser/report.py PAGE...
    tests/browser/report.py --pictures FOLDER PAGE...    also keeps a picture of each: light, dark, and narrow
"""

import argparse
import pathlib

from chromium import Chromium

COUNTS = """(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const count = (selector) => document.querySelectorAll(selector).length;
  const open = data.trials.filter((t) => ["running", "waiting", "paused", "withdrawn"].includes(t.state)).length;
  return {
    trials: data.trials.length, closed: data.trials.length - open, ended: data.ended.length, best: data.best,
    parameters: data.parameters.length, important: data.parameters.filter((p) => p.importance !== null).length,
    rungs: data.rungs.length, curves: data.trials.filter((t) => t.curve).length, metric: data.objective.metric,
    historyMarks: count("#history .plot .mark"), fronts: count("#history .front"), lines: count("#parallel .line"),
    axes: count("#parallel .brush"), objectives: (data.objectives ?? [data.objective]).length,
    slices: count("#slices svg"), sliceMarks: count("#slices .mark"), bars: count("#importance .bar"),
    rungLines: count("#rungs .rung"), curveLines: count("#rungs .line"), running: count("#running .filled"),
    times: count("#times .plot .bar"), costs: count("#cost .filled"), rows: count("#trials tbody tr"),
    bestText: document.getElementById("best").textContent, scripts: count("script"), images: count("img"),
    hacked: window.hacked ?? null,
  };
})()"""


def check_marks(found):
    few = min(found["closed"], 600)
    assert found["trials"] > 0 and found["best"] is not None, found
    assert found["fronts"] == 1 and found["axes"] == found["parameters"] + found["objectives"], found
    assert min(found["ended"], 1900) <= found["historyMarks"] <= min(found["ended"], 2001), found
    assert few - 1 <= found["lines"] <= 601, found
    assert found["slices"] == found["parameters"] > 2, found
    assert found["sliceMarks"] >= found["parameters"] * few, found
    assert found["bars"] == found["important"] == found["parameters"], found
    assert found["rungLines"] == found["rungs"] > 1, found
    assert found["curveLines"] == found["curves"] > 1, found
    assert found["running"] == found["costs"] == 1 and found["times"] > 0, found
    assert found["rows"] == min(found["trials"], 25), found
    assert found["metric"] in found["bestText"], found
    assert found["scripts"] == 2 and found["images"] == 0 and found["hacked"] is None, found


def check_table(browser):
    def column():
        return browser.evaluate("[...document.querySelectorAll('#trials tbody tr')].map((row) => Number(row.cells[0].textContent))")

    browser.evaluate("document.querySelector('#trials th button').click()")
    assert column() == sorted(column()) and column()[0] == 0, column()
    browser.evaluate("document.querySelector('#trials th button').click()")
    assert column() == sorted(column(), reverse=True), column()
    first = column()[0]
    if browser.evaluate("(() => { const more = [...document.querySelectorAll('#trials button')].find((b) => b.textContent.startsWith('more'));"
                        "const can = !more.disabled; more.click(); return can; })()"):
        assert column()[0] == first - 25, column()
    browser.evaluate("(() => { const s = document.querySelector('#trials input'); s.value = 'complete'; s.dispatchEvent(new Event('input')); })()")
    states = browser.evaluate("[...document.querySelectorAll('#trials tbody tr')].map((row) => row.textContent)")
    assert states and all("complete" in state for state in states), states


def check_pointer(browser, best):
    browser.move_to(f"#history .mark[data-trial='{best}']")
    assert browser.evaluate("document.getElementById('tip').textContent").startswith(f"trial {best} complete")
    assert browser.evaluate("document.querySelectorAll('.hot').length") >= 3
    place = browser.move_to("#parallel .brush")
    lines = "document.querySelectorAll('#parallel .line:not(.out)').length"
    before = browser.evaluate(lines)
    for kind, y in (("mousePressed", -100), ("mouseMoved", -60), ("mouseReleased", -60)):
        browser.call("Input.dispatchMouseEvent", type=kind, x=place["x"], y=place["y"] + y, button="left", buttons=1, clickCount=1)
    assert browser.evaluate(lines) < before


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--front", type=pathlib.Path, help="the report of a sweep with two objectives")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with Chromium() as browser:
        for page in options.pages:
            url = page.resolve().as_uri()
            looks = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 400}}
            papers = {}
            for name, look in looks.items():
                browser.requests.clear()
                took = browser.open(url, **look)
                found = browser.evaluate(COUNTS)
                check_marks(found)
                papers[name] = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                if options.pictures:
                    browser.screenshot(options.pictures / f"{page.stem}-{name}.png")
                wide = browser.evaluate("document.documentElement.scrollWidth")
                assert wide <= look.get("width", 1280), wide
                check_pointer(browser, found["best"])
                check_table(browser)
                assert browser.requests == [url], browser.requests
                assert browser.errors == [], browser.errors
                print(f"{page.name}, {name}: {found['trials']} trials, open after {took:.2f} s")
            assert papers["light"] != papers["dark"], papers
        if options.front:
            browser.open(options.front.resolve().as_uri())
            found = browser.evaluate(COUNTS)
            assert found["objectives"] == 2 and found["axes"] == found["parameters"] + 2, found
            assert found["lines"] == found["trials"] and browser.errors == [], (found, browser.errors)


main()
