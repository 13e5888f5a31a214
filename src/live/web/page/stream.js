// The connection to kml: requests with the page's key, and server-sent events.

const pageKey = (() => { try { return localStorage.getItem("kml-key") ?? ""; } catch { return ""; } })();
const fixed = (() => { const node = document.getElementById("data"); return node ? JSON.parse(node.textContent) : null; })();

const queryOf = (pairs) => new URLSearchParams(pairs.filter(([, value]) => value)).toString();

async function request(path, {signal, body} = {}) {
  const headers = {"X-Kml-Key": pageKey};
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal});
  if (response.status === 403 && !response.headers.get("Content-Type")?.includes("json")) throw new Error(await response.text());
  return response;
}

/// The answer, which is JSON, or {error: {what}}, or {aborted: true}.
async function ask(path, options) {
  try {
    return await (await request(path, options)).json();
  } catch (error) {
    if (error.name === "AbortError") return {aborted: true};
    return {error: {what: String(error.message ?? error)}};
  }
}

/// Calls back with (event, data) for each event, until the stream ends. Throws if it cannot be opened.
/// EventSource cannot send the page's key.
async function listen(path, signal, take) {
  const response = await request(path, {signal});
  if (!response.ok) throw new Error(await response.text());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1], data = /^data: (.*)$/m.exec(part)?.[1];
      if (event) take(event, data === undefined ? null : JSON.parse(data));
    }
  }
}

/// Calls run(signal) while the page is looked at. A browser has few connections for all tabs of an address, so
/// a tab in the background gives its own back after a while.
function whileVisible(run, signal) {
  let stop = new AbortController(), timer = null;
  const change = () => {
    clearTimeout(timer);
    if (signal?.aborted) return;
    if (document.hidden) timer = setTimeout(() => stop.abort(), 30_000);
    else if (stop.signal.aborted) { stop = new AbortController(); run(stop.signal); }
  };
  document.addEventListener("visibilitychange", change, {signal});
  signal?.addEventListener("abort", () => { clearTimeout(timer); stop.abort(); });
  run(stop.signal);
}

const connection = {text: "connecting…", since: Date.now(), isOpen: false};

/// Keeps the rows as they are on the server. A connection that is lost is opened again.
async function followChanges(signal) {
  for (let wait = 250; !signal.aborted; wait = Math.min(5000, wait * 2)) {
    try {
      await listen("/data/changes", signal, (event, data) => {
        wait = 250;
        connection.isOpen = true;
        connection.text = "";
        if (event === "all") forgetRows();
        else if (event === "changes") applyChanges(data);
      });
      connection.text = "kml ui has ended; start it again and open the new address";
    } catch (error) {
      if (signal.aborted) return;
      connection.text = /key|address/.test(error.message) ? error.message : "kml ui does not answer; trying again";
    }
    if (connection.isOpen) connection.since = Date.now();
    connection.isOpen = false;
    redrawSoon();
    await new Promise((go) => setTimeout(go, wait));
  }
}
