"use strict";
// Scatter and line plots.
(() => {
  const kManyPoints = 1500;
  const kMaxLegend = 10;

  const datasetOf = (series, look, axes, state) => {
    const labels = hone.texts(series.labels);
    const line = series.draw !== "points";
    const many = series.x.length > kManyPoints;
    const data = [];
    const kept = { labels: [], low: series.low && [], high: series.high && [] };
    series.x.forEach((x, i) => {
      const y = series.y[i];
      if (x === null || y === null || (axes.x.log && x <= 0) || (axes.y.log && y <= 0)) {
        return;
      }
      data.push({ x, y });
      kept.labels.push(labels[i]);
      kept.low?.push(series.low[i]);
      kept.high?.push(series.high[i]);
    });
    const big = series.role === "winner" ? 7 : 4;
    const lonely = data.length === 1;
    const thin = look.hollow || ["cross", "star"].includes(look.shape);
    const radius = many ? 2 : !line || lonely ? big : thin ? 4 : 3;
    // Steps have a mark where they rise, not where they end.
    const rises = (_, i) => (i > 0 && data[i].y === data[i - 1].y ? 0 : radius);
    return {
      label: series.name,
      hidden: state.hidden?.includes(series.name),
      data,
      ...kept,
      showLine: line,
      stepped: series.draw === "steps",
      borderColor: look.color,
      backgroundColor: look.hollow ? hone.color("paper") : many ? `${look.color}66` : `${look.color}bb`,
      borderWidth: line ? (series.role === "faint" ? 1 : 2) : many ? 0 : 1.2,
      borderDash: line ? look.dash : [],
      pointStyle: look.shape,
      pointRotation: look.rotation,
      pointBorderWidth: thin ? 1.6 : undefined,
      pointRadius: series.draw === "steps" ? data.map(rises) : radius,
      pointHoverRadius: 7,
      pointHitRadius: 4,
      tension: 0,
      // The winner is drawn on top, faint series at the bottom.
      order: { winner: -2, faint: 2 }[series.role] ?? 0,
    };
  };

  const hasLegend = (part) => part.series.length > 1 && part.series.length <= kMaxLegend;

  /** Returns the height of a plot; on a phone the legend has about one line per series. */
  hone.plotHeight = (part) => 340 + (hasLegend(part) && hone.onPhone() ? 24 * Math.max(part.series.length - 2, 0) : 0);

  hone.drawPlot = (canvas, part, state) => {
    const looks = hone.looks(part.series);
    const datasets = part.series.map((series, i) => datasetOf(series, looks[i], part, state));
    const options = hone.chartOptions({
      title: (items) => {
        const { dataset, dataIndex } = items[0];
        return hone.wrapped(dataset.labels[dataIndex] || dataset.label);
      },
      label: ({ dataset, dataIndex, parsed }) => [
        ...(dataset.labels[dataIndex] && dataset.label ? hone.wrapped(dataset.label) : []),
        `${part.y.label}: ${hone.formatRange(parsed.y, dataset.low?.[dataIndex], dataset.high?.[dataIndex], part.y.unit)}`,
        `${part.x.label}: ${hone.format(parsed.x, part.x.unit)}`,
      ],
    }, state);
    options.interaction = { mode: "nearest", intersect: false };
    options.plugins.tooltip.filter = (_, index) => index === 0;
    options.plugins.legend.display = hasLegend(part);
    hone.useLegendMarks(options);
    options.plugins.rules = { list: part.rules };
    options.plugins.regions = { list: part.regions };
    const xs = datasets.flatMap((dataset) => dataset.data.map((point) => point.x));
    const ys = datasets.flatMap((dataset) => [...dataset.data.map((point) => point.y), ...(dataset.low || []), ...(dataset.high || [])]);
    const ruled = (part.rules || []).filter((rule) => rule.of === "y").map((rule) => rule.at);
    options.scales = {
      x: hone.scaleOf(part.x, hone.rangeOf(part.x, xs)),
      y: hone.scaleOf(part.y, hone.rangeOf(part.y, [...ys, ...ruled])),
    };
    if (!part.x.log && !part.x.unit && xs.every(Number.isInteger)) {
      options.scales.x.ticks.precision = 0;  // integers only
    }
    return hone.newChart(canvas, {
      type: "scatter",
      data: { datasets },
      options,
      plugins: [hone.regions, hone.intervals, hone.rules, hone.legendMarks],
    });
  };

  /** Returns the data of a plot as table columns. */
  hone.plotNumbers = (part) => {
    const columns = {
      series: [], label: [], x: [], y: [], low: [], high: [],
    };
    for (const series of part.series) {
      const labels = hone.texts(series.labels);
      series.x.forEach((x, i) => {
        columns.series.push(series.name);
        columns.label.push(labels[i] ?? "");
        columns.x.push(x);
        columns.y.push(series.y[i]);
        columns.low.push(series.low ? series.low[i] : null);
        columns.high.push(series.high ? series.high[i] : null);
      });
    }
    const table = [{ name: "series", texts: columns.series }];
    if (columns.label.some((label) => label !== "")) {
      table.push({ name: "label", texts: columns.label });
    }
    table.push({ name: part.x.label, unit: part.x.unit, numbers: columns.x });
    table.push({ name: part.y.label, unit: part.y.unit, numbers: columns.y });
    if (columns.low.some((low) => low !== null)) {
      table.push({ name: "low", unit: part.y.unit, numbers: columns.low });
      table.push({ name: "high", unit: part.y.unit, numbers: columns.high });
    }
    return table;
  };
})();
