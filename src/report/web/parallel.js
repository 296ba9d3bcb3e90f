"use strict";
// Parallel coordinates: one line per candidate. Clicking a value shows only the lines through it.
(() => {
  const kTop = 44;
  const kHeight = 340;
  const kBottom = 14;
  const kSide = 34;
  const kMinGap = 104;

  /** Creates an axis. Values of a knob are spread evenly; the result axis is linear. */
  const axisOf = (knob, last) => {
    const values = [...new Set(knob.values.filter((value) => value !== null))].sort((a, b) => a - b);
    const span = kHeight - kTop - kBottom;
    if (last) {
      const [low, high] = [values[0], values[values.length - 1]];
      const share = (value) => (high > low ? (value - low) / (high - low) : 1);
      const at = (value) => kTop + span * (high > low ? 1 - share(value) : 0.5);
      return { values: [values[0], values[values.length - 1]], at, share };
    }
    const place = new Map(values.map((value, i) => [value, i]));
    const at = (value) => kTop + span * (values.length > 1 ? 1 - place.get(value) / (values.length - 1) : 0.5);
    return { values, at, room: Math.min(14, span / (3 * values.length)) };
  };

  /** Returns the position of a candidate on an axis, with jitter so that equal values stay visible. */
  const crossing = (axes, part, k, i) => {
    const scattered = ((i * 2654435761 + k * 40503) % 1000) / 1000 - 0.5;
    return axes[k].at(part.knobs[k].values[i]) + scattered * (axes[k].room ?? 0);
  };

  const drawLine = (context, axes, xs, part, i) => {
    context.beginPath();
    let begun = false;
    part.knobs.forEach((knob, k) => {
      if (knob.values[i] === null) {
        return;
      }
      context[begun ? "lineTo" : "moveTo"](xs[k], crossing(axes, part, k, i));
      begun = true;
    });
    context.stroke();
  };

  const drawAxes = (context, part, axes, xs, chosen) => {
    part.knobs.forEach((knob, k) => {
      const last = k === part.knobs.length - 1;
      context.strokeStyle = hone.color("soft");
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(xs[k], kTop);
      context.lineTo(xs[k], kHeight - kBottom);
      context.stroke();
      context.fillStyle = hone.color("ink");
      context.textAlign = last ? "right" : k === 0 ? "left" : "center";
      const words = hone.shortened(knob.axis.label, 26).split(/(?<=[._ ])/);
      const half = Math.ceil(words.length / 2);
      const lines = knob.axis.label.length > 12 ? [words.slice(0, half).join(""), words.slice(half).join("")] : [knob.axis.label];
      const edge = last ? xs[k] + kSide - 4 : k === 0 ? xs[k] - kSide + 4 : xs[k];
      lines.filter(Boolean).forEach((line, row) => context.fillText(line, edge, 12 + 14 * row));
      const skip = Math.ceil((axes[k].values.length * 13) / (kHeight - kTop));
      axes[k].values.forEach((value, i) => {
        if (i % skip !== 0 && value !== chosen.get(k)) {
          return;
        }
        const text = hone.format(value, knob.axis.unit);
        const width = context.measureText(text).width;
        const y = axes[k].at(value);
        context.fillStyle = hone.color(value === chosen.get(k) ? "winner" : "paper");
        context.globalAlpha = 0.85;
        context.fillRect(xs[k] - width / 2 - 3, y - 7, width + 6, 14);
        context.globalAlpha = 1;
        context.fillStyle = hone.color("ink");
        context.textAlign = "center";
        context.fillText(text, xs[k], y + 4);
      });
    });
  };

  /** Returns the knob values of a candidate: "rows=64 columns=32". */
  const nameOf = (part, i) => part.knobs.slice(0, -1).filter((knob) => knob.values[i] !== null)
    .map((knob) => `${knob.axis.label}=${knob.values[i]}`).join(" ");

  hone.drawParallel = (box, part, state) => {
    const canvas = hone.element("canvas", { role: "img", "aria-label": part.title });
    box.append(canvas);
    const hover = hone.hoverBox(box);
    const result = part.knobs[part.knobs.length - 1];
    const axes = part.knobs.map((knob, k) => axisOf(knob, k === part.knobs.length - 1));
    const order = [...result.values.keys()].filter((i) => result.values[i] !== null).sort((a, b) => result.values[a] - result.values[b]);
    state.chosen ??= new Map();
    const chosen = state.chosen;
    const base = document.createElement("canvas");  // all lines except the highlighted one: there may be thousands
    let xs = [];
    let width = 0;
    let near = -1;

    const seen = (i) => [...chosen].every(([k, value]) => part.knobs[k].values[i] === value);
    const drawBase = () => {
      const context = hone.sharpCanvas(base, width, kHeight);
      const shown = order.filter(seen);
      context.globalAlpha = Math.min(0.8, Math.max(0.12, 90 / shown.length));
      context.lineWidth = 1.2;
      const best = axes[axes.length - 1];
      const [faint, strong] = [hone.color("line"), hone.color("series-0")];
      for (const i of shown) {
        context.strokeStyle = hone.mixed(faint, strong, best.share(result.values[i]) ** 1.5);
        drawLine(context, axes, xs, part, i);
      }
      context.globalAlpha = 1;
      if (part.winner >= 0 && seen(part.winner)) {
        context.strokeStyle = hone.color("winner");
        context.lineWidth = 3;
        drawLine(context, axes, xs, part, part.winner);
      }
    };
    const point = () => {
      const context = hone.sharpCanvas(canvas, width, kHeight);
      context.drawImage(base, 0, 0, width, kHeight);
      if (near >= 0) {
        context.strokeStyle = hone.color("ink");
        context.lineWidth = 2;
        drawLine(context, axes, xs, part, near);
      }
      drawAxes(context, part, axes, xs, chosen);
    };
    const redraw = () => {
      width = Math.max(box.clientWidth, 2 * kSide + (part.knobs.length - 1) * kMinGap);
      xs = part.knobs.map((_, k) => kSide + ((width - 2 * kSide) * k) / Math.max(1, part.knobs.length - 1));
      drawBase();
      point();
    };

    /** Returns the line nearest to the pointer between the adjacent axes; -1 for none. */
    const nearest = (x, y) => {
      let k = xs.findIndex((place) => place > x);
      k = k < 1 ? (k === 0 ? 1 : xs.length - 1) : k;
      const share = Math.min(Math.max((x - xs[k - 1]) / (xs[k] - xs[k - 1]), 0), 1);
      let best = -1;
      let distance = 12;
      for (const i of order) {
        if (part.knobs[k - 1].values[i] === null || part.knobs[k].values[i] === null || !seen(i)) {
          continue;
        }
        const gap = Math.abs(crossing(axes, part, k - 1, i) * (1 - share) + crossing(axes, part, k, i) * share - y);
        if (gap <= distance) {
          distance = gap;
          best = i;
        }
      }
      return best;
    };

    canvas.addEventListener("mousemove", (event) => {
      const found = part.knobs.length > 1 ? nearest(event.offsetX, event.offsetY) : -1;
      if (found !== near) {
        near = found;
        point();
      }
      if (near < 0) {
        hover.hide();
      } else {
        hover.show(event.offsetX - box.scrollLeft, event.offsetY, [
          `${result.axis.label}: ${hone.format(result.values[near], result.axis.unit)}`, nameOf(part, near)]);
      }
    });
    canvas.addEventListener("mouseleave", () => {
      near = -1;
      hover.hide();
      point();
    });
    canvas.addEventListener("click", (event) => {
      const k = xs.findIndex((place) => Math.abs(place - event.offsetX) < 16);
      if (k < 0 || k === xs.length - 1) {
        return;
      }
      const value = axes[k].values.find((one) => Math.abs(axes[k].at(one) - event.offsetY) < 8);
      if (value === undefined || chosen.get(k) === value) {
        chosen.delete(k);
      } else {
        chosen.set(k, value);
      }
      redraw();
    });
    redraw();
    const at = (k, i) => [xs[k], crossing(axes, part, k, i)];
    return { resize: redraw, destroy() {}, part, at };
  };

  const median = (values) => {
    const sorted = values.slice().sort((a, b) => a - b);
    const middle = Math.floor(sorted.length / 2);
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };

  /** Creates a plot of one knob: all candidates, and the median per value. */
  hone.knobPlot = (part, k) => {
    const knob = part.knobs[k];
    const result = part.knobs[part.knobs.length - 1];
    const byValue = new Map();
    knob.values.forEach((value, i) => {
      if (value !== null && result.values[i] !== null) {
        if (!byValue.has(value)) {
          byValue.set(value, []);
        }
        byValue.get(value).push(result.values[i]);
      }
    });
    const values = [...byValue.keys()].sort((a, b) => a - b);
    const labels = knob.values.map((_, i) => nameOf(part, i));
    const series = [
      { name: "median", draw: "line", role: "plain", x: values, y: values.map((value) => median(byValue.get(value))) },
      { name: "all candidates", draw: "points", role: "faint", x: knob.values, y: result.values, labels },
    ];
    if (part.winner >= 0) {
      const i = part.winner;
      series.push({ name: "winner", draw: "points", role: "winner", x: [knob.values[i]], y: [result.values[i]], labels: [labels[i]] });
    }
    const log = values[0] > 0 && values[values.length - 1] / values[0] >= 8;
    return {
      type: "plot",
      title: "",
      x: { ...knob.axis, log, ticks: values.length <= 14 ? values : undefined },
      y: result.axis,
      series,
      rules: [{ of: "y", at: 1, label: "default" }],
    };
  };

  hone.parallelNumbers = (part) => [
    ...part.knobs.map((knob) => ({ name: knob.axis.label, unit: knob.axis.unit, numbers: knob.values })),
  ];
})();
