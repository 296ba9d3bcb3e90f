// Live updates. The server sends progress and notifies about changes of the document; the page then
// fetches the difference and redraws itself. All URLs are relative to the page.
(() => {
  "use strict";
  const base = location.pathname.replace(/\/$/, "");
  let version = document.currentScript.dataset.version;

  /** Applies a JSON patch (RFC 6902), limited to the operations of the server: add, remove, replace. */
  const patched = (whole, patch) => {
    const root = { whole };
    for (const { op, path, value } of patch) {
      const steps = `/whole${path}`.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
      const last = steps.pop();
      const at = steps.reduce((place, step) => place[step], root);
      if (!Array.isArray(at)) {
        op === "remove" ? delete at[last] : (at[last] = value);
      } else if (op === "add") {
        at.splice(last === "-" ? at.length : Number(last), 0, value);
      } else {
        at.splice(Number(last), 1, ...(op === "remove" ? [] : [value]));
      }
    }
    return root.whole;
  };

  /** Fetches changes; returns null if there are none or the server is unreachable. The next event retries. */
  const fetched = async () => {
    try {
      const answer = await fetch(`${base}/document?have=${version}`);
      return answer.status === 200 ? { headers: answer.headers, body: await answer.json() } : null;
    } catch {
      return null;
    }
  };

  const take = ({ headers, body }) => {
    const isPatch = headers.get("Content-Type").startsWith("application/json-patch");
    hone.show(isPatch ? patched(structuredClone(hone.document), body) : body);
    version = headers.get("Hone-Version");  // after drawing, so that a failed update is fetched again
  };

  let busy = false;
  let again = false;
  const refresh = async () => {
    again = true;
    if (busy) {
      return;
    }
    busy = true;
    try {
      while (again) {
        again = false;
        const news = await fetched();
        if (news) {
          take(news);
        }
      }
    } finally {
      busy = false;
    }
  };

  if (base !== "") {
    document.body.prepend(hone.element("nav", { id: "up" }, [hone.element("a", { href: "/", text: "All runs" })]));
  }
  const line = hone.element("p", { id: "live", role: "status", "aria-live": "polite" });
  line.hidden = true;
  document.body.prepend(line);
  const say = (text, kind) => {
    line.hidden = text === "";
    line.className = kind;
    line.textContent = text;
  };
  const left = (seconds) => (seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${Math.round(seconds / 60)} min`
    : `${(seconds / 3600).toFixed(1)} h`);
  const progressText = (one) => [
    base === "" ? `run ${one.run}` : "",
    one.total > 0 ? `${one.stage} ${one.done}/${one.total}` : one.stage,
    one.best ? `best ${one.best}` : "",
    one.seconds_left === null ? "" : `${left(one.seconds_left)} left`,
    one.note,
  ].filter(Boolean).join(" · ");

  const kRetryMs = 30_000;
  let events = null;
  let timer = 0;
  let gone = false;
  /** Subscribes to events while the page is visible: a browser has only six connections per server. */
  const listen = () => {
    clearTimeout(timer);
    events?.close();
    if (gone || document.hidden) {
      return;
    }
    events = new EventSource(`${base}/events?have=${version}`);
    events.onopen = () => say("", "");  // the server sends the progress of a running run at once
    events.onmessage = refresh;
    events.addEventListener("progress", (event) => {
      const one = JSON.parse(event.data);
      say(one === null ? "" : progressText(one), "going");
    });
    events.addEventListener("gone", () => {
      gone = true;
      events.close();
      say("This run is no longer in the store.", "gone");
    });
    events.onerror = () => {
      say("The server does not respond; showing the last known state.", "lost");
      if (events.readyState === EventSource.CLOSED) {  // refused: the browser does not retry
        timer = setTimeout(listen, kRetryMs);
      }
    };
  };
  document.addEventListener("visibilitychange", listen);
  listen();
})();
