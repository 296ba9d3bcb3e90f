// A page that stays up to date: the server says when something changed, and the page asks for the
// document anew. Both addresses are beside the page's own.
(() => {
  "use strict";
  const base = location.pathname.replace(/\/$/, "");
  let busy = false;
  let again = false;
  const refresh = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    do {
      again = false;
      try {
        const answer = await fetch(`${base}/document`);
        if (answer.ok) {
          hone.show(await answer.json());
        }
      } catch {
        // The server is gone; the next event, if there is one, tries again.
      }
    } while (again);
    busy = false;
  };
  new EventSource(`${base}/events`).onmessage = refresh;
})();
