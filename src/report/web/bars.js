"use strict";
// Horizontal bars, one or several per name.
(() => {
  const kBar = 15;

  /** Returns true if the bars need a legend; a single stacked segment with a name does. */
  const named = (part) => part.groups.length > 1 || (part.stacked && part.groups[0].name !== "");

  /** Returns the share of a segment in its stacked bar, in per cent. */
  const shareOf = (part, group, i) => {
    const whole = part.groups.reduce((sum, one) => sum + (one.values[i] ?? 0), 0);
    return whole > 0 && group.values[i] !== null ? (100 * group.values[i]) / whole : null;
  };

  /** Plugin that writes shares on the segments of a stacked bar if they fit. */
  const shares = (part) => ({
    id: "shares",
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      context.save();
      context.textAlign = "center";
      context.textBaseline = "middle";
      chart.getSortedVisibleDatasetMetas().forEach((meta) => meta.data.forEach((bar, i) => {
        const share = shareOf(part, part.groups[meta.index], i);
        const text = share === null ? "" : `${Math.round(share)} %`;
        const width = context.measureText(text).width + 8;
        if (share !== null && width + 4 < bar.width) {
          const middle = (bar.base + bar.x) / 2;
          context.fillStyle = hone.color("paper");
          context.fillRect(middle - width / 2, bar.y - 8, width, 16);
          context.fillStyle = hone.color("ink");
          context.fillText(text, middle, bar.y);
        }
      }));
      context.restore();
    },
  });

  /** Returns the height of bars, axis and legend; on a phone the legend has one line per name. */
  hone.barsHeight = (part) => {
    const beside = part.stacked ? 1.6 : part.groups.length;
    const legend = named(part) ? 24 * Math.ceil(part.groups.length / (hone.onPhone() ? 1 : 3)) : 0;
    return Math.max(120, part.names.length * (beside * kBar + 9) + 70 + legend);
  };

  hone.drawBars = (canvas, part, state) => {
    const looks = hone.looks(part.groups);
    const datasets = part.groups.map((group, i) => ({
      label: group.name,
      hidden: state.hidden?.includes(group.name),
      data: group.values,
      low: group.low,
      high: group.high,
      base: part.stacked ? undefined : part.base,
      borderColor: looks[i].color,
      borderWidth: 1,
      backgroundColor: hone.fill(looks[i].color, part.stacked ? (looks[i].round ?? 0) + (i % 2) : looks[i].number),
      pointStyle: "rect",
      maxBarThickness: part.stacked ? 34 : 18,
    }));
    const options = hone.chartOptions({
      title: (items) => hone.wrapped(part.names[items[0].dataIndex]),
      label: ({ dataset, datasetIndex, dataIndex }) => {
        const value = hone.formatRange(dataset.data[dataIndex], dataset.low?.[dataIndex], dataset.high?.[dataIndex], part.value.unit);
        const share = part.stacked ? `, ${hone.format(shareOf(part, part.groups[datasetIndex], dataIndex), "%")}` : "";
        return hone.wrapped(`${named(part) ? `${dataset.label}: ` : ""}${value}${share}`);
      },
    }, state);
    options.indexAxis = "y";
    options.interaction = part.stacked ? { mode: "nearest", intersect: true } : { mode: "index", axis: "y", intersect: false };
    options.plugins.legend.display = named(part);
    options.plugins.legend.labels.generateLabels = (chart) =>
      Chart.defaults.plugins.legend.labels.generateLabels(chart).map((label) =>
        ({ ...label, text: hone.shortened(label.text, hone.onPhone() ? 30 : 48) }));
    options.plugins.rules = { list: part.rules.map((at) => ({ of: "x", at, label: "" })) };
    const values = part.groups.flatMap((group) => [...group.values, ...(group.low || []), ...(group.high || [])]);
    const range = part.stacked ? {} : hone.rangeOf(part.value, [part.base, ...values]);
    options.scales = {
      x: hone.scaleOf(part.value, { stacked: part.stacked, beginAtZero: part.base === 0, ...range }),
      y: {
        stacked: part.stacked,
        grid: { display: false, borderColor: hone.color("line") },
        ticks: {
          color: hone.color("ink"),
          autoSkip: false,
          callback(index) {
            return hone.shortened(part.names[index], hone.onPhone() ? 16 : 46);
          },
        },
      },
    };
    return hone.newChart(canvas, {
      type: "bar",
      data: { labels: part.names, datasets },
      options,
      plugins: [hone.intervals, hone.rules, ...(part.stacked ? [shares(part)] : [])],
    });
  };

  hone.barsNumbers = (part) => {
    const columns = [{ name: "name", texts: part.names }];
    for (const group of part.groups) {
      columns.push({ name: group.name || part.value.label, unit: part.value.unit, numbers: group.values });
      if (part.stacked) {
        columns.push({ name: "share", unit: "%", numbers: part.names.map((_, i) => shareOf(part, group, i)) });
      }
      if (group.low) {
        columns.push({ name: "low", unit: part.value.unit, numbers: group.low });
        columns.push({ name: "high", unit: part.value.unit, numbers: group.high });
      }
    }
    return columns;
  };
})();
