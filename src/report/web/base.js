"use strict";
// Shared helpers: elements, number formatting, colours and shapes.
globalThis.hone = {};
(() => {
  /** Creates an element. Text is always set as text, so markup in names is not interpreted. */
  hone.element = (tag, options = {}, children = []) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name === "text") {
        element.textContent = value;
      } else if (name.startsWith("on")) {
        element.addEventListener(name.slice(2), value);
      } else {
        element.setAttribute(name, value);
      }
    }
    element.append(...children);
    return element;
  };

  const digits = (value, count) => {
    const size = Math.abs(value);
    if (size >= 10 ** count) {
      return Math.round(value).toLocaleString("en");
    }
    if (size !== 0 && size < 1e-4) {
      return value.toExponential(count - 1);
    }
    return String(Number(value.toPrecision(count)));
  };

  const time = (nanoseconds) => {
    const size = Math.abs(nanoseconds);
    for (const [factor, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
      if (size >= factor * 0.9995) {
        return `${digits(nanoseconds / factor, 3)} ${unit}`;
      }
    }
    return `${digits(nanoseconds, 3)} ns`;
  };

  /** Formats a number: "12.3 ms", "1.52x", "96.7 GFLOP/s", "10,000". */
  hone.format = (value, unit = "") => {
    if (value === null || value === undefined || Number.isNaN(value)) {
      return "–";
    }
    if (unit === "ns") {
      return time(value);
    }
    if (unit === "x") {
      return `${digits(value, 3)}x`;
    }
    if (unit === "") {
      return Number.isInteger(value) ? value.toLocaleString("en") : digits(value, 4);
    }
    return `${digits(value, 3)} ${unit}`;
  };

  hone.formatRange = (value, low, high, unit) =>
    low === undefined || low === null
      ? hone.format(value, unit)
      : `${hone.format(value, unit)} (${hone.format(low, unit)} – ${hone.format(high, unit)})`;

  hone.axisTitle = (axis) =>
    axis.unit && axis.unit !== "ns" && axis.unit !== "x" ? `${axis.label} (${axis.unit})` : axis.label;

  /** Returns the texts of a list that may be dictionary-encoded. */
  hone.texts = (list) => {
    if (!list) {
      return [];
    }
    return Array.isArray(list) ? list : list.at.map((place) => list.texts[place]);
  };

  const kPhone = 520;
  hone.onPhone = () => window.innerWidth < kPhone;

  /** Shortens a text in the middle: both ends of a dispatch name are significant. */
  hone.shortened = (text, length) => {
    if (text.length <= length) {
      return text;
    }
    const head = Math.ceil((length - 1) / 2);
    return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`;
  };

  hone.color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  // Eight series differ in colour, shape and dash pattern; each of the three alone suffices.
  const kSeries = 8;
  const kShapes = [
    { shape: "circle" },
    { shape: "triangle" },
    { shape: "rectRot" },
    { shape: "circle", hollow: true },
    { shape: "triangle", rotation: 180 },
    { shape: "cross" },
    { shape: "rectRot", hollow: true },
    { shape: "triangle", hollow: true },
  ];
  const kDashes = [[], [10, 4], [2, 3], [10, 3, 2, 3], [16, 4], [6, 2, 2, 2, 2, 2], [3, 7], [16, 3, 5, 3]];
  const kRoles = {
    baseline: { color: "baseline", shape: "rect", dash: [5, 4] },
    winner: { color: "winner", shape: "star", dash: [] },
    failed: { color: "failed", shape: "crossRot", dash: [2, 2] },
    faint: { color: "faint", shape: "circle", dash: [] },
  };

  /** Returns colour, shape and dash pattern of each series: by role, otherwise the next of the lists. */
  hone.looks = (all) => {
    let plain = 0;
    return all.map((one) => {
      const role = kRoles[one.role];
      if (role) {
        return { rotation: 0, hollow: false, ...role, color: hone.color(role.color), number: 0 };
      }
      const number = plain++;
      const round = Math.floor(number / kSeries);  // shifts the dash patterns, so that 64 series differ
      return {
        rotation: 0,
        hollow: false,
        ...kShapes[number % kSeries],
        dash: kDashes[(number + round) % kSeries],
        color: hone.color(`series-${number % kSeries}`),
        number,
        round,
      };
    });
  };

  /** Colour ramp from dark (0) to bright (1), readable with red-green colour blindness. */
  const kRamp = [[0, 32, 76], [49, 68, 107], [102, 105, 112], [149, 143, 120], [202, 183, 103], [255, 233, 69]];
  hone.ramp = (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (kRamp.length - 1);
    const low = Math.min(Math.floor(at), kRamp.length - 2);
    const mixed = kRamp[low].map((from, i) => Math.round(from + (kRamp[low + 1][i] - from) * (at - low)));
    return `rgb(${mixed.join(",")})`;
  };
  /** Interpolates two colours "#rrggbb": 0 is the first, 1 the second. */
  hone.mixed = (first, second, share) => {
    const parts = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    const to = parts(second);
    return `rgb(${parts(first).map((from, i) => Math.round(from + (to[i] - from) * share)).join(",")})`;
  };
  /** Returns a text colour that is readable on the ramp. */
  hone.onRamp = (share) => (share > 0.55 ? "#14181d" : "#ffffff");

  /** Creates a tooltip near the pointer, inside the element. */
  hone.hoverBox = (inside) => {
    const box = hone.element("div", { class: "hover", hidden: "" });
    inside.append(box);
    return {
      hide: () => { box.hidden = true; },
      show: (x, y, lines) => {
        box.replaceChildren(...lines.map((line) => hone.element("div", { text: line })));
        box.hidden = false;
        const left = Math.max(0, Math.min(x + 14, inside.clientWidth - box.offsetWidth - 4));
        const above = y - box.offsetHeight - 10;
        box.style.left = `${left + inside.scrollLeft}px`;
        box.style.top = `${above < 0 ? y + 16 : above}px`;
      },
    };
  };

  /** Sizes a canvas in CSS pixels for the pixel ratio of the screen; returns its context. */
  hone.sharpCanvas = (canvas, width, height) => {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    return context;
  };
})();
