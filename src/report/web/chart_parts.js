"use strict";
// Chart.js plugins and options: intervals, rules, labelled regions, logarithmic ticks.
(() => {
  const kNarrow = 5;  // logarithmic axes of a smaller ratio have evenly spaced ticks
  const kRoom = 0.04;  // share of a range that is left free at either end

  /** Draws whiskers from low to high for datasets that have them. */
  hone.intervals = {
    id: "intervals",
    afterDatasetDraw(chart, { index, meta }) {
      const { low, high } = chart.data.datasets[index];
      if (!low || !chart.isDatasetVisible(index)) {
        return;
      }
      const sideways = chart.options.indexAxis === "y";
      const scale = chart.scales[sideways ? "x" : "y"];
      const context = chart.ctx;
      context.save();
      context.beginPath();
      meta.data.forEach((element, i) => {
        if (low[i] === null || low[i] === undefined) {
          return;
        }
        const from = scale.getPixelForValue(low[i]);
        const to = scale.getPixelForValue(high[i]);
        const across = sideways ? element.y : element.x;
        const line = (a, b, c, d) => {
          context.moveTo(...(sideways ? [a, b] : [b, a]));
          context.lineTo(...(sideways ? [c, d] : [d, c]));
        };
        line(from, across, to, across);
        line(from, across - 3, from, across + 3);
        line(to, across - 3, to, across + 3);
      });
      context.strokeStyle = hone.color("ink");
      context.lineWidth = 1;
      context.stroke();
      context.restore();
    },
  };

  /** Draws dashed lines across the plot, labelled at the end. */
  hone.rules = {
    id: "rules",
    afterDatasetsDraw(chart, _, options) {
      const { left, right, top, bottom } = chart.chartArea;
      const context = chart.ctx;
      context.save();
      context.setLineDash([5, 4]);
      context.strokeStyle = context.fillStyle = hone.color("baseline");
      for (const rule of options.list || []) {
        const at = chart.scales[rule.of].getPixelForValue(rule.at);
        const inside = rule.of === "x" ? at >= left && at <= right : at >= top && at <= bottom;
        if (!inside) {
          continue;
        }
        context.beginPath();
        context.moveTo(...(rule.of === "x" ? [at, top] : [left, at]));
        context.lineTo(...(rule.of === "x" ? [at, bottom] : [right, at]));
        context.stroke();
        const place = rule.of === "x" ? [at - 4, top + 11] : [right - 4, at - 5];
        context.textAlign = "right";
        context.save();
        context.setLineDash([]);
        context.lineWidth = 4;
        context.strokeStyle = hone.color("paper");  // keeps the label readable on points
        context.strokeText(rule.label || "", ...place);
        context.restore();
        context.fillText(rule.label || "", ...place);
      }
      context.restore();
    },
  };

  /** Draws labelled boxes behind the points. */
  hone.regions = {
    id: "regions",
    beforeDatasetsDraw(chart, _, options) {
      const { left, right, top, bottom } = chart.chartArea;
      const { x, y } = chart.scales;
      const within = (value, low, high) => Math.min(Math.max(value, low), high);
      const context = chart.ctx;
      context.save();
      context.strokeStyle = hone.color("faint");
      context.fillStyle = hone.color("soft");
      context.lineWidth = 1.5;
      for (const region of options.list || []) {
        const from = region.left === null ? left : within(x.getPixelForValue(region.left), left, right);
        const to = region.right === null ? right : within(x.getPixelForValue(region.right), left, right);
        const low = region.bottom === null ? bottom : within(y.getPixelForValue(region.bottom), top, bottom);
        const high = region.top === null ? top : within(y.getPixelForValue(region.top), top, bottom);
        if (to - from < 1 || low - high < 1) {
          continue;
        }
        context.strokeRect(from, high, to - from, low - high);
        if (context.measureText(region.label).width < to - from - 6 && low - high > 14) {
          context.fillText(region.label, from + 5, high + 13);
        }
      }
      context.restore();
    },
  };

  /**
   * Returns the range of an axis: the values and a little room, so that an axis starts where the data
   * does. Room does not extend below 0 if no value does, unless the ticks are given. Bars pass their
   * base among the values.
   */
  hone.rangeOf = (axis, values) => {
    const known = values.filter((value) => Number.isFinite(value) && (!axis.log || value > 0));
    if (known.length === 0) {
      return {};
    }
    const low = known.reduce((a, b) => Math.min(a, b));
    const high = known.reduce((a, b) => Math.max(a, b));
    if (axis.log) {
      const room = high > low ? Math.max((high / low) ** kRoom, 1.01) : 1.5;
      return { min: low / room, max: high * room };
    }
    const room = high > low ? kRoom * (high - low) : Math.abs(high) / 4 || 1;
    return { min: low >= 0 && !axis.ticks ? Math.max(low - room, 0) : low - room, max: high + room };
  };

  /** Returns up to eight round numbers in a range, for logarithmic axes of less than a decade. */
  const roundNumbers = (min, max) => {
    const rough = (max - min) / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    const first = Math.ceil(min / step);
    return Array.from({ length: Math.floor(max / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  };

  /** Creates the Chart.js scale of an axis. */
  hone.scaleOf = (axis, more = {}) => {
    const scale = {
      type: axis.log ? "logarithmic" : "linear",
      title: { display: Boolean(axis.label), text: hone.axisTitle(axis), color: hone.color("soft") },
      grid: { color: hone.color("grid"), borderColor: hone.color("line") },
      ticks: {
        color: hone.color("soft"),
        maxRotation: 0,
        autoSkipPadding: 10,
        includeBounds: false,
        callback(value) {
          const lead = Number(value.toExponential(3).split("e")[0]);
          const narrow = this.max / this.min < kNarrow;
          const leads = this.max / this.min < 12 ? [1, 1.5, 2, 3, 4, 5, 6, 8] : [1, 2, 5];
          const plain = !axis.log || axis.ticks || narrow || leads.includes(lead);
          return plain ? hone.format(value, axis.unit === "ns" || axis.unit === "x" ? axis.unit : "") : null;
        },
      },
      ...more,
    };
    if (axis.ticks || axis.log) {
      scale.afterBuildTicks = (built) => {
        if (axis.ticks) {
          built.ticks = axis.ticks.filter((tick) => tick >= built.min && tick <= built.max).map((value) => ({ value }));
        } else if (built.max / built.min < kNarrow) {
          built.ticks = roundNumbers(built.min, built.max).map((value) => ({ value }));
        }
      };
    }
    return scale;
  };

  const kMarkWidth = 30;
  const kInvisible = "#0000";
  /** Makes the legend leave room for the marks that `hone.legendMarks` draws. */
  hone.useLegendMarks = (options) => {
    options.plugins.legend.labels.boxWidth = 0;
    options.plugins.legend.labels.generateLabels = (chart) => {
      chart.ctx.save();
      chart.ctx.font = Chart.helpers.toFont(options.font ?? {}).string;
      const blanks = "\u2007".repeat(Math.ceil(kMarkWidth / chart.ctx.measureText("\u2007").width));
      chart.ctx.restore();
      return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((label) =>
        ({ ...label, text: blanks + hone.shortened(label.text, hone.onPhone() ? 32 : 80), fillStyle: kInvisible, strokeStyle: kInvisible, lineWidth: 0 }));
    };
  };
  /** Draws line, dash pattern and shape of each series in the legend, as in the plot. */
  hone.legendMarks = {
    id: "legendMarks",
    afterDraw(chart) {
      const { legend, ctx } = chart;
      if (!legend?.options.display) {
        return;
      }
      legend.legendItems.forEach((item, i) => {
        const { left, top, height } = legend.legendHitBoxes[i];
        const dataset = chart.data.datasets[item.datasetIndex];
        const [x, y] = [left + kMarkWidth / 2 + 2, top + height / 2];
        ctx.save();
        ctx.globalAlpha = item.hidden ? 0.4 : 1;
        ctx.strokeStyle = dataset.borderColor;
        ctx.fillStyle = dataset.backgroundColor;
        if (dataset.showLine) {
          ctx.lineWidth = dataset.borderWidth;
          ctx.setLineDash(dataset.borderDash);
          ctx.beginPath();
          ctx.moveTo(x - kMarkWidth / 2, y);
          ctx.lineTo(x + kMarkWidth / 2, y);
          ctx.stroke();
          ctx.setLineDash([]);
        }
        Chart.helpers.drawPoint(ctx, {
          pointStyle: dataset.pointStyle, rotation: dataset.pointRotation, radius: 4, borderWidth: dataset.pointBorderWidth ?? 1.2,
        }, x, y);
        ctx.restore();
      });
    },
  };

  /** Returns a fill that is distinguishable without colour: plain, hatched, dotted, crossed. */
  hone.fill = (color, number) => {
    const kind = Math.floor(number) % 4;
    if (kind === 0) {
      return color;
    }
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const context = tile.getContext("2d");
    context.fillStyle = color;
    context.globalAlpha = 0.45;
    context.fillRect(0, 0, 8, 8);
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    if (kind === 1 || kind === 3) {
      for (const [a, b, c, d] of [[0, 8, 8, 0], [-2, 2, 2, -2], [6, 10, 10, 6]]) {
        context.moveTo(a, b);
        context.lineTo(c, d);
      }
    }
    if (kind === 3) {
      context.moveTo(0, 0);
      context.lineTo(8, 8);
    }
    context.stroke();
    if (kind === 2) {
      context.fillRect(1, 1, 3, 3);
      context.fillRect(5, 5, 3, 3);
    }
    return context.createPattern(tile, "repeat");
  };

  /** Returns the options common to all charts; series hidden in the legend are kept in `state`. */
  hone.chartOptions = (tooltip, state) => ({
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    plugins: {
      legend: {
        position: "top",
        align: "start",
        onClick(event, item, legend) {
          Chart.defaults.plugins.legend.onClick.call(this, event, item, legend);
          const { chart } = legend;
          state.hidden = chart.data.datasets.filter((_, i) => !chart.isDatasetVisible(i)).map((one) => one.label);
        },
        labels: { usePointStyle: true, color: hone.color("ink"), boxWidth: 7, boxHeight: 7, padding: 12 },
      },
      tooltip: {
        backgroundColor: hone.color("ink"),
        titleColor: hone.color("paper"),
        bodyColor: hone.color("paper"),
        displayColors: false,
        titleFont: { weight: "600" },
        callbacks: tooltip,
      },
    },
  });

  /** Wraps long names for tooltips. */
  hone.wrapped = (text, width = 56) => {
    const lines = [];
    for (let rest = text; rest.length > 0;) {
      const cut = rest.length <= width ? rest.length : Math.max(rest.lastIndexOf(" ", width), 0) || width;
      lines.push(rest.slice(0, cut).trim());
      rest = rest.slice(cut).trimStart();
    }
    return lines;
  };

  hone.newChart = (canvas, configuration) => {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 12;
    return new Chart(canvas, configuration);
  };
})();
