"use strict";
// Draws a document: answer, facts and parts. Parts are drawn when they come into view.
(() => {
  const kSigns = { good: "▲", plain: "●", bad: "▼" };
  const kLinesHeight = 340;
  const kGraphHeight = 700;
  const kMaxTabs = 8;

  const drawn = new Map();  // element of a part → its chart
  let observer = null;

  /** View state of each part by its path of titles; survives redrawing. */
  const kept = new Map();
  const keptAt = (place) => kept.get(place) ?? kept.set(place, {}).get(place);

  let printing = false;
  let forPaper = false;  // the current page was drawn for printing

  /** Draws when the element comes into view, or at once for printing. */
  const whenSeen = (element, draw) => {
    element.honeDraw = draw;
    observer.observe(element);
  };
  const drawNow = (element) => {
    observer.unobserve(element);
    if (element.honeDraw && element.isConnected) {
      const made = element.honeDraw();
      delete element.honeDraw;
      element.honeDrawn = made;
      drawn.set(element, made);
    }
  };

  const heading = (part) => {
    const pieces = part.title ? [hone.element("h3", { text: part.title })] : [];
    return part.note ? [...pieces, hone.element("p", { class: "note", text: part.note })] : pieces;
  };

  /** Creates a collapsible block whose content is created when first opened. */
  const fold = (kind, title, state, content) => {
    const box = hone.element("details", { class: kind }, [hone.element("summary", { text: title })]);
    const fill = () => {
      if (box.open && box.children.length === 1) {
        box.append(content());
      }
    };
    box.open = state.open === true;
    fill();
    box.addEventListener("toggle", () => {
      state.open = box.open;
      fill();
    });
    return box;
  };

  /** Creates the table of the data behind a plot. */
  const numbers = (columnsOf, state) => fold("numbers", "data", state, () => {
    const columns = columnsOf();
    const first = columns[0];
    return hone.table(columns, hone.texts(first.texts).length || first.numbers?.length || 0, state);
  });

  const empty = (text) => hone.element("p", { class: "empty", text });

  const chartPart = (part, place, kind, height, hasData, draw, columnsOf) => {
    const state = keptAt(place);
    const section = hone.element("section", { class: `part ${kind}` }, heading(part));
    if (!hasData) {
      section.append(empty("No data."));
      return section;
    }
    const box = hone.element("div", { class: kind === "parallel" || kind === "graph" ? "canvas wide" : "canvas" });
    box.style.minHeight = `${height}px`;
    if (kind === "plot" || kind === "bars") {
      box.style.height = `${height}px`;
    }
    section.append(box, numbers(() => columnsOf(part), state));
    whenSeen(box, () => {
      if (kind === "heat" || kind === "parallel" || kind === "graph") {
        const made = draw(box, part, state);
        scrollBack(box);
        return made;
      }
      const canvas = hone.element("canvas", { role: "img", "aria-label": `${part.title}. ${part.note || ""}` });
      box.append(canvas);
      return draw(canvas, part, state);
    });
    return section;
  };

  const tablePart = (part, place) => {
    const state = keptAt(place);
    const section = hone.element("section", { class: "part table" });
    if (part.rows === 0) {
      section.append(...heading(part), empty(part.empty));
    } else if (part.folded) {
      section.append(fold("block", `${part.title} (${part.rows.toLocaleString("en")})`, state, () => {
        const note = part.note ? [hone.element("p", { class: "note", text: part.note })] : [];
        return hone.element("div", {}, [...note, hone.table(part.columns, part.rows, state)]);
      }));
    } else {
      section.append(...heading(part), hone.table(part.columns, part.rows, state));
    }
    return section;
  };

  const textOf = (part) => {
    if (part.form !== "diff") {
      return hone.element("pre", { class: part.form, text: part.text });
    }
    const kinds = { "+": "added", "-": "removed", "@": "place" };
    return hone.element("pre", { class: "diff" }, part.text.split("\n").map((line) =>
      hone.element("span", { class: kinds[line[0]] || "", text: `${line}${kinds[line[0]] ? "" : "\n"}` })));
  };

  const textPart = (part, place) => {
    const section = hone.element("section", { class: "part text" });
    section.append(...(part.folded ? [fold("block", part.title, keptAt(place), () => textOf(part))]
      : [...heading(part), textOf(part)]));
    return section;
  };

  /** Returns the selected tab, even if others were inserted before it; otherwise the first. */
  const chosenTab = (tabs, state) => {
    const alike = tabs.map((_, number) => number).filter((number) => tabs[number].name === state.name);
    return alike.includes(state.number) ? state.number : alike[0] ?? 0;
  };

  const partsOfTab = ({ name, parts }, place) =>
    partsOf(typeof parts === "function" ? parts() : parts, `${place}/${name}`);

  const tabsPart = (part, place) => {
    if (printing) {  // printed pages show all tabs in sequence
      return hone.element("section", { class: "part tabs" }, [...heading(part), ...part.tabs.flatMap((tab) =>
        [...(part.tabs.length > 1 ? [hone.element("h4", { text: tab.name })] : []), ...partsOfTab(tab, place)])]);
    }
    const panel = hone.element("div", { role: "tabpanel" });
    const state = keptAt(place);
    const first = chosenTab(part.tabs, state);
    const open = (number) => {
      discard(panel);
      panel.replaceChildren(...partsOfTab(part.tabs[number], place));
      restoreScroll(panel);
    };
    const choose = (number) => {
      Object.assign(state, { number, name: part.tabs[number].name });
      open(number);
    };
    let chooser;
    if (part.tabs.length > kMaxTabs) {
      const select = hone.element("select", { "aria-label": part.title, onchange: () => choose(select.selectedIndex) },
        part.tabs.map((tab) => hone.element("option", { text: tab.name })));
      select.selectedIndex = first;
      chooser = [select];
    } else {
      chooser = part.tabs.map((tab, number) => hone.element("button", {
        type: "button", role: "tab", text: tab.name, "aria-selected": String(number === first),
        onclick: () => {
          chooser.forEach((one, i) => one.setAttribute("aria-selected", String(i === number)));
          choose(number);
        },
      }));
    }
    const list = hone.element("div", { class: "tablist", role: "tablist" }, part.tabs.length > 1 ? chooser : []);
    open(first);
    return hone.element("section", { class: "part tabs" }, [...heading(part), list, panel]);
  };

  /** Creates parallel coordinates, and below them one plot per knob. */
  const parallelPart = (part, place) => {
    const lines = chartPart(part, place, "parallel", kLinesHeight, part.knobs.at(-1).values.length > 0, hone.drawParallel, hone.parallelNumbers);
    const knobs = part.knobs.slice(0, -1).map((knob, k) => ({ name: knob.axis.label, parts: () => [hone.knobPlot(part, k)] }));
    return hone.element("div", {}, knobs.length > 0 ? [lines, tabsPart({ title: "One knob at a time", tabs: knobs }, `${place}/knobs`)] : [lines]);
  };

  const anyPoint = (part) => part.series.some((series) => series.y.some((y) => y !== null));

  const partOf = (part, place) => {
    switch (part.type) {
      case "heading":
        return hone.element("h2", { text: part.text });
      case "plot":
        return chartPart(part, place, "plot", hone.plotHeight(part), anyPoint(part), hone.drawPlot, hone.plotNumbers);
      case "bars":
        return chartPart(part, place, "bars", hone.barsHeight(part), part.names.length > 0, hone.drawBars, hone.barsNumbers);
      case "heat":
        return chartPart(part, place, "heat", hone.heatHeight(part, keptAt(place)), part.rows.length > 0, hone.drawHeat, hone.heatNumbers);
      case "graph":
        return chartPart(part, place, "graph", Math.min(hone.graphHeight(part), kGraphHeight), part.nodes.length > 0, hone.drawGraph, hone.graphNumbers);
      case "parallel":
        return parallelPart(part, place);
      case "table":
        return tablePart(part, place);
      case "tabs":
        return tabsPart(part, place);
      default:
        return textPart(part, place);
    }
  };

  /** Creates the parts, each with a path that is stable when other parts are added or removed. */
  const partsOf = (parts, place) => {
    const alike = new Map();
    return parts.map((part) => {
      const name = `${part.type} ${part.title ?? ""}`;
      alike.set(name, (alike.get(name) ?? 0) + 1);
      const own = `${place}/${name} ${alike.get(name)}`;
      const element = partOf(part, own);
      element.dataset.place = own;
      return element;
    });
  };

  const answerOf = (answer) => hone.element("section", { class: `answer ${answer.tone}` }, [
    hone.element("div", { class: "sign", text: kSigns[answer.tone], "aria-hidden": "true" }),
    hone.element("p", { class: "headline", text: answer.headline }),
    hone.element("div", { class: "lines" }, answer.lines.map((line) => hone.element("p", { text: line }))),
  ]);

  const factsOf = (facts) => hone.element("dl", { class: "facts" }, facts.flatMap(([name, value]) =>
    [hone.element("dt", { text: name }), hone.element("dd", { text: value })]));

  const kScrolls = ".tablebox, .wide, pre";
  const stateAround = (element) => keptAt(element.closest("[data-place]").dataset.place);

  const scrollBack = (element) => element.scrollTo(...(stateAround(element).scrolled?.[element.classList[0]] ?? [0, 0]));

  /** Destroys the charts below an element and saves its scroll positions. */
  const discard = (root) => {
    for (const element of forPaper ? [] : root.querySelectorAll(kScrolls)) {
      (stateAround(element).scrolled ??= {})[element.classList[0]] = [element.scrollLeft, element.scrollTop];
    }
    for (const [element, made] of drawn) {
      if (root.contains(element)) {
        made.destroy();
        drawn.delete(element);
      }
    }
  };

  /** Restores the scroll positions below an element. */
  const restoreScroll = (root) => root.querySelectorAll(kScrolls).forEach(scrollBack);

  /** Returns a function that restores the keyboard focus after redrawing. */
  const focusIn = (main) => {
    const old = document.activeElement;
    const place = main.contains(old) ? old.closest("[data-place]")?.dataset.place : undefined;
    if (place === undefined) {
      return () => {};
    }
    const alike = (part) => [...part.querySelectorAll(old.tagName)];
    const same = (part) => alike(part).filter((one) => one.textContent === old.textContent);
    const part = old.closest("[data-place]");
    const [number, numberOfSame] = [alike(part).indexOf(old), same(part).indexOf(old)];
    const selected = old.matches("input") ? [old.selectionStart, old.selectionEnd, old.selectionDirection] : null;
    return () => {
      const anew = [...main.querySelectorAll("[data-place]")].find((one) => one.dataset.place === place);
      // A removed link must not move the focus to its successor.
      const found = anew && (same(anew)[numberOfSame] ?? (old.matches("a") ? null : alike(anew)[number]));
      found?.focus({ preventScroll: true });
      if (found && selected) {
        found.setSelectionRange(...selected);
      }
    };
  };

  const kMargin = 200;
  const inSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > -kMargin && top < window.innerHeight + kMargin;
  };

  /** Replaces the document shown; keeps open blocks, selected tabs and sort order. */
  hone.show = (shown) => {
    const main = document.getElementById("page");
    const place = window.scrollY;
    const focusAgain = focusIn(main);
    discard(main);
    observer?.disconnect();
    observer = new IntersectionObserver((entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawNow(entry.target));
      performance.mark("hone-drawn");
    }, { rootMargin: `${kMargin}px` });
    document.title = shown.title;
    main.replaceChildren(
      hone.element("h1", { text: shown.title }),
      answerOf(shown.answer),
      factsOf(shown.facts),
      ...partsOf(shown.parts, ""),
      hone.element("footer", { text: "Generated by hone. Times are medians; intervals are 95 % bootstrap confidence intervals unless stated otherwise." }));
    restoreScroll(main);
    focusAgain();
    window.scrollTo(0, place);
    if (hone.document) {  // redraw visible charts at once to avoid flicker
      [...main.querySelectorAll(".canvas")].filter(inSight).forEach(drawNow);
    }
    hone.document = shown;
    forPaper = printing;
  };

  /** Draws all remaining charts, for printing. */
  hone.drawAll = () => {
    for (const element of document.querySelectorAll(".canvas")) {
      if (element.honeDraw) {
        drawNow(element);
      }
    }
  };
  const redrawAll = () => hone.show(hone.document);

  const printed = (now) => {
    printing = now;
    document.documentElement.classList.toggle("printing", now);
    redrawAll();
  };
  const kMaxStrokes = 5000;
  /** Replaces charts with thousands of points by a bitmap: Chromium prints every stroke. */
  const flatten = ({ canvas, data }) => {
    if (!data || data.datasets.reduce((sum, one) => sum + one.data.length, 0) <= kMaxStrokes) {
      return;
    }
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [canvas.width, canvas.height];
    picture.getContext("2d").drawImage(canvas, 0, 0);
    canvas.width = picture.width;  // discards the strokes
    canvas.getContext("2d").drawImage(picture, 0, 0);
  };
  window.addEventListener("beforeprint", () => {
    printed(true);
    hone.drawAll();
    drawn.forEach(flatten);
  });
  window.addEventListener("afterprint", () => printed(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  let width = window.innerWidth;
  let phone = hone.onPhone();
  window.addEventListener("resize", () => {
    if (hone.onPhone() !== phone) {  // the heights depend on it
      phone = hone.onPhone();
      width = window.innerWidth;
      redrawAll();
    } else if (window.innerWidth !== width) {  // Chart.js resizes its charts itself
      width = window.innerWidth;
      drawn.forEach((made, element) => {
        if (element.parentElement.matches(".heat, .parallel")) {
          made.resize();
        }
      });
    }
  });
  hone.show(JSON.parse(document.getElementById("document").textContent));
})();
