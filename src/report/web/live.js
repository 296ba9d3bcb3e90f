// A page that stays up to date. The server says how far the run is, and that the document changed;
// the page then asks for what is new in it and draws itself anew. All addresses are beside its own.
(() => {
  "use strict";
  const base = location.pathname.replace(/\/$/, "");
  let version = document.currentScript.dataset.version;

  /** RFC 6902, as far as the server uses it: add, remove, replace. */
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

  /** What the server has that is new; null where there is nothing, or where it is gone: its next event tries again. */
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
    version = headers.get("Hone-Version");  // only now: what could not be drawn is asked for again
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

  const kAgainMs = 30_000;
  let events = null;
  let timer = 0;
  let gone = false;
  /** Hears of what is new, as long as somebody looks: all pages of a browser share six connections. */
  const listen = () => {
    clearTimeout(timer);
    events?.close();
    if (gone || document.hidden) {
      return;
    }
    events = new EventSource(`${base}/events?have=${version}`);
    events.onopen = () => say("", "");  // where a run goes on, the server says so at once
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
      say("The server does not answer; this is the last that it said.", "lost");
      if (events.readyState === EventSource.CLOSED) {  // refused: the browser itself would not try again
        timer = setTimeout(listen, kAgainMs);
      }
    };
  };
  document.addEventListener("visibilitychange", listen);
  listen();
})();
