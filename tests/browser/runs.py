#!/usr/bin/env python3
"""Opens reports of runs in a browser and checks what is drawn against what their data says.

    tests/browser/runs.py [--pictures FOLDER] PAGE...    --pictures keeps a picture of each: light, dark, and narrow
"""

import argparse
import pathlib

from chromium import Chromium

COUNTS = """(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const count = (selector) => document.querySelectorAll(selector).length;
  const finite = (course) => course.points.filter((point) => point[1] !== null).length;
  const courses = data.runs.flatMap((run) => Object.entries(run.courses ?? {}).filter(([, course]) => finite(course) > 0));
  return {
    runs: data.runs.length, metrics: new Set(courses.map(([name]) => name)).size,
    plots: count("#curves svg"), lines: count("#curves .line"), dots: count("#curves .dot"),
    wantedLines: courses.filter(([, course]) => finite(course) > 1).length,
    rows: count("#runs tbody tr"), each: count("#each > details"), legend: count("#curves .legend span"),
    head: [...document.querySelectorAll("#runs thead th")].map((th) => th.textContent.trim()),
    lineage: count(".lineage ul li"), artifacts: data.runs.reduce((sum, run) => sum + (run.artifacts?.length ?? 0), 0),
    notes: data.runs.filter((run) => run.note).length, changes: count("pre.changes"),
    scripts: count("script"), images: count("img"), bold: count("main b"), hacked: window.hacked ?? null,
  };
})()"""


def check(found):
    assert found["runs"] == found["each"] == found["legend"] > 0, found
    assert found["rows"] == min(found["runs"], 25), found
    assert found["plots"] == found["metrics"] > 1, found
    assert found["lines"] >= found["wantedLines"] > 0, found
    assert found["dots"] > 0, found  # the value after NaN stands alone
    assert found["changes"] > 0 and found["notes"] > 0, found
    assert (found["lineage"] > 0) == (found["artifacts"] > 0), found
    assert found["scripts"] == 2 and found["images"] == found["bold"] == 0 and found["hacked"] is None, found


def check_table(browser):
    column = "[...document.querySelectorAll('#runs tbody tr')].map((row) => row.cells[0].textContent)"
    browser.evaluate("document.querySelector('#runs th button').click()")
    names = browser.evaluate(column)
    assert names == sorted(names), names
    browser.evaluate("document.querySelector('#runs th button').click()")
    assert browser.evaluate(column) == sorted(names, reverse=True)


def check_pointer(browser):
    name = browser.evaluate("(() => { const row = document.querySelector('#runs tbody tr'); return row.cells[0].textContent; })()")
    browser.move_to("#runs tbody td")
    assert browser.evaluate("document.getElementById('tip').textContent").startswith(name)
    assert browser.evaluate("document.querySelectorAll('.hot').length") >= 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with Chromium() as browser:
        for page in options.pages:
            url = page.resolve().as_uri()
            for name, look in {"light": {}, "dark": {"dark": True}, "narrow": {"width": 400}}.items():
                browser.requests.clear()
                took = browser.open(url, **look)
                found = browser.evaluate(COUNTS)
                check(found)
                browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                if options.pictures:
                    browser.screenshot(options.pictures / f"{page.stem}-{name}.png")
                wide = browser.evaluate("document.documentElement.scrollWidth")
                assert wide <= look.get("width", 1280), wide
                check_table(browser)
                check_pointer(browser)
                assert browser.requests == [url], browser.requests
                assert browser.errors == [], browser.errors
                print(f"{page.name}, {name}: {found['runs']} runs, open after {took:.2f} s")


main()
