"use strict";
// Table that sorts by column and filters rows by words.
(() => {
  const kRowsPerPage = 200;
  const kMinRowsToFilter = 8;
  const kBrief = 20;  // maximum length of texts that are not wrapped
  const kOrder = new Intl.Collator("en", { numeric: true });  // created once: localeCompare creates one per call

  const sorted = (rows, column, direction) => {
    const values = column.values;
    const empty = (value) => value === null || value === undefined || value === "";
    return rows.slice().sort((a, b) => {
      const [left, right] = [values[a], values[b]];
      if (empty(left) || empty(right)) {
        return Number(empty(left)) - Number(empty(right));  // missing values sort last in both directions
      }
      return direction * (column.text ? kOrder.compare(left, right) : left - right);
    });
  };

  /** Converts the columns to lists of values with their display texts. */
  const prepared = (columns) => columns.map((column) => {
    const text = column.texts !== undefined;
    const values = text ? hone.texts(column.texts) : column.numbers;
    const brief = text && values.every((value) => (value ?? "").length <= kBrief);
    return {
      kind: brief ? "brief" : text ? "text" : "number",
      name: column.name,
      unit: column.unit || "",
      leadsTo: column.leads_to,
      text,
      values,
      shown(row) {
        return text ? this.values[row] ?? "" : hone.format(this.values[row], this.unit);
      },
    };
  });

  const cell = (column, row) => {
    if (!column.leadsTo) {
      return hone.element("td", { class: column.kind, text: column.shown(row) });
    }
    const address = column.leadsTo + encodeURIComponent(column.values[row]);
    return hone.element("td", { class: column.kind }, [hone.element("a", { href: address, text: column.shown(row) })]);
  };

  /** Creates a table. Sort order and filter are kept in `state` to restore them after redrawing. */
  hone.table = (columns, count, state) => {
    const all = prepared(columns);
    const everything = Array.from({ length: count }, (_, i) => i);
    let rows = everything;
    state.shown ??= kRowsPerPage;

    const body = hone.element("tbody");
    const counter = hone.element("span", { class: "count" });
    const more = hone.element("button", { class: "more", type: "button", text: `show ${kRowsPerPage} more` });
    const headings = all.map((column, number) => {
      const heading = hone.element("th", { scope: "col", class: column.kind, "aria-sort": "none" });
      const button = hone.element("button", { type: "button", text: column.name });
      button.addEventListener("click", () => {
        state.direction = state.column === number ? -state.direction : 1;
        state.column = number;
        fill();
      });
      heading.append(button);
      return heading;
    });

    const fill = () => {
      headings.forEach((one, number) => {
        const active = number === state.column;
        one.setAttribute("aria-sort", active ? (state.direction > 0 ? "ascending" : "descending") : "none");
        one.firstChild.textContent = all[number].name + (active ? (state.direction > 0 ? " ▲" : " ▼") : "");
      });
      const by = all[state.column];
      const list = by ? sorted(rows, by, state.direction) : rows;
      body.replaceChildren(...list.slice(0, state.shown).map((row) => hone.element("tr", {}, all.map((column) =>
        cell(column, row)))));
      const seen = Math.min(state.shown, list.length);
      counter.textContent = seen === count ? `${count.toLocaleString("en")} row${count === 1 ? "" : "s"}`
        : `${seen.toLocaleString("en")} of ${list.length.toLocaleString("en")} rows${list.length < count ? `, ${count.toLocaleString("en")} in total` : ""}`;
      more.hidden = seen >= list.length;
    };
    more.addEventListener("click", () => {
      state.shown += kRowsPerPage;
      fill();
    });

    let words = null;
    const match = () => {
      words ??= everything.map((row) => all.map((column) => column.shown(row)).join(" ").toLowerCase());
      const wanted = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
      rows = wanted.length === 0 ? everything : everything.filter((row) => wanted.every((word) => words[row].includes(word)));
    };
    const filter = hone.element("input", { type: "search", placeholder: "filter (all words must match)", "aria-label": "filter" });
    filter.addEventListener("input", () => {
      state.filter = filter.value;
      state.shown = kRowsPerPage;
      match();
      fill();
    });
    if (state.filter) {
      filter.value = state.filter;
      match();
    }

    fill();
    const head = hone.element("thead", {}, [hone.element("tr", {}, headings)]);
    const box = hone.element("div", { class: "tablebox" }, [hone.element("table", {}, [head, body])]);
    const bar = hone.element("div", { class: "tablebar" }, count >= kMinRowsToFilter || state.filter ? [filter, counter] : [counter]);
    return hone.element("div", {}, [bar, box, more]);
  };
})();
