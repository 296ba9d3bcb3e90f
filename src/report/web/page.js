"use strict";
// Draws a document: the answer, the facts, and its parts, each only when it comes into view.
(() => {
  const kSigns = { good: "▲", plain: "●", bad: "▼" };
  const kPlotHeight = 340;
  const kTabsAtMost = 8;

  const drawn = new Map();  // the element of a part → what redraws and destroys it
  let observer = null;

  /** Draws when the element is in view, and at once when the page is printed. */
  const whenSeen = (element, draw) => {
    element.honeDraw = draw;
    observer.observe(element);
  };
  const drawNow = (element) => {
    observer.unobserve(element);
    if (element.honeDraw && element.isConnected) {
      const made = element.honeDraw();
      delete element.honeDraw;
      if (made) {
        drawn.set(element, made);
      }
    }
  };

  const heading = (part) => {
    const pieces = part.title ? [hone.element("h3", { text: part.title })] : [];
    return part.note ? [...pieces, hone.element("p", { class: "note", text: part.note })] : pieces;
  };

  /** The numbers behind a plot, made when they are asked for. */
  const numbers = (columnsOf) => {
    const fold = hone.element("details", { class: "numbers" }, [hone.element("summary", { text: "numbers" })]);
    fold.addEventListener("toggle", () => {
      if (fold.open && fold.children.length === 1) {
        const columns = columnsOf();
        const first = columns[0];
        fold.append(hone.table(columns, hone.texts(first.texts).length || first.numbers?.length || 0));
      }
    });
    return fold;
  };

  const empty = (text) => hone.element("p", { class: "empty", text });

  const chartPart = (part, kind, height, hasData, draw, columnsOf) => {
    const section = hone.element("section", { class: `part ${kind}` }, heading(part));
    if (!hasData) {
      section.append(empty("Nothing was measured that could be drawn here."));
      return section;
    }
    const box = hone.element("div", { class: "canvas" });
    box.style.minHeight = `${height}px`;
    if (kind === "plot" || kind === "bars") {
      box.style.height = `${height}px`;
    }
    section.append(box, numbers(() => columnsOf(part)));
    whenSeen(box, () => {
      if (kind === "heat" || kind === "parallel") {
        return draw(box, part);
      }
      const canvas = hone.element("canvas", { role: "img", "aria-label": `${part.title}. ${part.note || ""}` });
      box.append(canvas);
      return draw(canvas, part);
    });
    return section;
  };

  const folded = (part, content) => {
    const fold = hone.element("details", { class: "block" }, [hone.element("summary", { text: part.title })]);
    fold.addEventListener("toggle", () => {
      if (fold.open && fold.children.length === 1) {
        fold.append(content());
      }
    });
    return fold;
  };

  const tablePart = (part) => {
    const section = hone.element("section", { class: "part table" });
    if (part.rows === 0) {
      section.append(...heading(part), empty(part.empty));
    } else if (part.folded) {
      section.append(folded({ title: `${part.title} (${part.rows.toLocaleString("en")})` }, () => {
        const note = part.note ? [hone.element("p", { class: "note", text: part.note })] : [];
        return hone.element("div", {}, [...note, hone.table(part.columns, part.rows)]);
      }));
    } else {
      section.append(...heading(part), hone.table(part.columns, part.rows));
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

  const textPart = (part) => {
    const section = hone.element("section", { class: "part text" });
    section.append(...(part.folded ? [folded(part, () => textOf(part))] : [...heading(part), textOf(part)]));
    return section;
  };

  const tabsPart = (part) => {
    const panel = hone.element("div", { role: "tabpanel" });
    const open = (number) => {
      forget(panel);
      const parts = part.tabs[number].parts;
      panel.replaceChildren(...(typeof parts === "function" ? parts() : parts).map(partOf));
    };
    let chooser;
    if (part.tabs.length > kTabsAtMost) {
      const select = hone.element("select", { "aria-label": part.title, onchange: () => open(select.selectedIndex) },
        part.tabs.map((tab) => hone.element("option", { text: tab.name })));
      chooser = [select];
    } else {
      chooser = part.tabs.map((tab, number) => hone.element("button", {
        type: "button", role: "tab", text: tab.name, "aria-selected": String(number === 0),
        onclick: () => {
          chooser.forEach((one, i) => one.setAttribute("aria-selected", String(i === number)));
          open(number);
        },
      }));
    }
    const list = hone.element("div", { class: "tablist", role: "tablist" }, part.tabs.length > 1 ? chooser : []);
    open(0);
    return hone.element("section", { class: "part tabs" }, [...heading(part), list, panel]);
  };

  /** The lines over all knobs, and below them one knob at a time, from the same numbers. */
  const parallelPart = (part) => {
    const lines = chartPart(part, "parallel", kPlotHeight, part.knobs.at(-1).values.length > 0, hone.drawParallel, hone.parallelNumbers);
    const knobs = part.knobs.slice(0, -1).map((knob, k) => ({ name: knob.axis.label, parts: () => [hone.knobPlot(part, k)] }));
    return hone.element("div", {}, knobs.length > 0 ? [lines, tabsPart({ title: "One knob at a time", tabs: knobs })] : [lines]);
  };

  const anyPoint = (part) => part.series.some((series) => series.y.some((y) => y !== null));

  const partOf = (part) => {
    switch (part.type) {
      case "heading":
        return hone.element("h2", { text: part.text });
      case "plot":
        return chartPart(part, "plot", kPlotHeight, anyPoint(part), hone.drawPlot, hone.plotNumbers);
      case "bars":
        return chartPart(part, "bars", hone.barsHeight(part), part.names.length > 0, hone.drawBars, hone.barsNumbers);
      case "heat":
        return chartPart(part, "heat", 0, part.rows.length > 0, hone.drawHeat, hone.heatNumbers);
      case "parallel":
        return parallelPart(part);
      case "table":
        return tablePart(part);
      case "tabs":
        return tabsPart(part);
      default:
        return textPart(part);
    }
  };

  const answerOf = (answer) => hone.element("section", { class: `answer ${answer.tone}` }, [
    hone.element("div", { class: "sign", text: kSigns[answer.tone], "aria-hidden": "true" }),
    hone.element("p", { class: "headline", text: answer.headline }),
    hone.element("div", { class: "lines" }, answer.lines.map((line) => hone.element("p", { text: line }))),
  ]);

  const factsOf = (facts) => hone.element("dl", { class: "facts" }, facts.flatMap(([name, value]) =>
    [hone.element("dt", { text: name }), hone.element("dd", { text: value })]));

  /** Lets go of the charts below an element. */
  const forget = (root) => {
    for (const [element, made] of drawn) {
      if (root.contains(element)) {
        made.destroy();
        drawn.delete(element);
      }
    }
  };

  /** Draws a document in the place of the one that is shown. */
  hone.show = (shown) => {
    const main = document.getElementById("page");
    const place = window.scrollY;
    forget(main);
    observer?.disconnect();
    observer = new IntersectionObserver((entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawNow(entry.target));
      performance.mark("hone-drawn");
    }, { rootMargin: "200px" });
    hone.document = shown;
    document.title = shown.title;
    main.replaceChildren(
      hone.element("h1", { text: shown.title }),
      answerOf(shown.answer),
      factsOf(shown.facts),
      ...shown.parts.map(partOf),
      hone.element("footer", { text: "Made by hone. Times are medians; intervals are 95 % bootstrap intervals." }));
    window.scrollTo(0, place);
  };

  /** All that is not yet drawn, for printing. */
  hone.drawAll = () => {
    for (const element of document.querySelectorAll(".canvas")) {
      if (element.honeDraw) {
        drawNow(element);
      }
    }
  };
  const redrawAll = () => hone.show(hone.document);

  window.addEventListener("beforeprint", hone.drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) {  // Chart.js watches its own charts
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
