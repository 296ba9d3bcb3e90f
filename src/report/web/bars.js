"use strict";
// Bars that lie on their side, one or several for a name.
(() => {
  const kBar = 15;
  const kPhone = 520;

  /** Room for the bars, the axis, and a legend that takes a line a name on a phone. */
  hone.barsHeight = (part) => {
    const beside = part.stacked ? 1.6 : part.groups.length;
    const legend = part.groups.length > 1 ? 24 * Math.ceil(part.groups.length / (window.innerWidth < kPhone ? 1 : 3)) : 0;
    return Math.max(120, part.names.length * (beside * kBar + 9) + 70 + legend);
  };

  hone.drawBars = (canvas, part) => {
    const looks = hone.looks(part.groups);
    const cycles = (number) => Math.floor(number / 6);
    const datasets = part.groups.map((group, i) => ({
      label: group.name,
      data: group.values,
      low: group.low,
      high: group.high,
      base: part.stacked ? undefined : part.base,
      borderColor: looks[i].color,
      borderWidth: 1,
      backgroundColor: hone.fill(looks[i].color, part.stacked ? cycles(looks[i].number) + (i % 2) : looks[i].number),
      pointStyle: "rect",
      maxBarThickness: part.stacked ? 34 : 18,
    }));
    const options = hone.chartOptions({
      title: (items) => hone.wrapped(part.names[items[0].dataIndex]),
      label: ({ dataset, dataIndex }) => [
        ...hone.wrapped(`${part.groups.length > 1 ? `${dataset.label}: ` : ""}${hone.formatRange(
          dataset.data[dataIndex], dataset.low?.[dataIndex], dataset.high?.[dataIndex], part.value.unit)}`),
      ],
    });
    options.indexAxis = "y";
    options.interaction = part.stacked ? { mode: "nearest", intersect: true } : { mode: "index", axis: "y", intersect: false };
    options.plugins.legend.display = part.groups.length > 1;
    options.plugins.legend.labels.generateLabels = (chart) =>
      Chart.defaults.plugins.legend.labels.generateLabels(chart).map((label) =>
        ({ ...label, text: hone.shortened(label.text, chart.width < kPhone ? 30 : 48) }));
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
            return hone.shortened(part.names[index], this.chart.width < kPhone ? 16 : 46);
          },
        },
      },
    };
    return hone.newChart(canvas, {
      type: "bar",
      data: { labels: part.names, datasets },
      options,
      plugins: [hone.intervals, hone.rules],
    });
  };

  hone.barsNumbers = (part) => {
    const columns = [{ name: "name", texts: part.names }];
    for (const group of part.groups) {
      columns.push({ name: group.name || part.value.label, unit: part.value.unit, numbers: group.values });
      if (group.low) {
        columns.push({ name: "low", unit: part.value.unit, numbers: group.low });
        columns.push({ name: "high", unit: part.value.unit, numbers: group.high });
      }
    }
    return columns;
  };
})();
