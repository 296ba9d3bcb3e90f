"use strict";
// Heat map: one row per problem, one column per configuration, a star on the best of each row.
(() => {
  const kRow = 20;
  const kHead = 34;
  const kFoot = 58;
  const kMore = 34;
  const kInitialRows = 60;

  /** Returns the position of a value in the range, 0 to 1; logarithmic if the axis is. */
  const shareOf = (value, [low, high], log) => {
    const scale = log ? Math.log : (x) => x;
    return high > low ? (scale(value) - scale(low)) / (scale(high) - scale(low)) : 0;
  };

  const rangeOf = (cells) => {
    let low = Infinity;
    let high = -Infinity;
    for (const row of cells) {
      for (const value of row) {
        if (value !== null) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    return [low, high];
  };

  const drawLegend = (context, part, range, left, top, width) => {
    for (let i = 0; i < width; ++i) {
      context.fillStyle = hone.ramp(i / (width - 1));
      context.fillRect(left + i, top, 1.5, 10);
    }
    context.fillStyle = hone.color("soft");
    context.textAlign = "left";
    context.fillText(hone.format(range[0], part.value.unit), left, top + 24);
    context.textAlign = "right";
    context.fillText(hone.format(range[1], part.value.unit), left + width, top + 24);
    context.textAlign = "left";
    context.fillText(`${hone.axisTitle(part.value)}; ★ best of the row`, 0, top + 40);
  };

  /** Draws the first rows; returns the geometry of the cells. */
  const draw = (canvas, part, rows, width) => {
    const names = Math.min(width < 520 ? 104 : 300, width * 0.36);
    const cell = (width - names) / part.columns.length;
    const context = hone.sharpCanvas(canvas, width, kHead + rows * kRow + kFoot);
    const range = rangeOf(part.cells);
    const letters = Math.max(4, Math.floor(names / 7.6));
    context.textBaseline = "middle";
    context.fillStyle = hone.color("soft");
    context.fillText(hone.shortened(part.y_label, letters), 0, kHead - 10);
    context.textAlign = "center";
    const skip = Math.ceil(34 / cell);
    part.columns.forEach((column, c) => {
      if (c % skip === 0) {
        context.fillText(hone.shortened(column, Math.max(3, Math.floor((cell * skip) / 7))), names + (c + 0.5) * cell, kHead - 10);
      }
    });
    context.fillText(part.x_label, names + (width - names) / 2, 8);
    for (let r = 0; r < rows; ++r) {
      const top = kHead + r * kRow;
      context.textAlign = "left";
      context.fillStyle = hone.color("ink");
      context.fillText(hone.shortened(part.rows[r], letters), 0, top + kRow / 2);
      part.cells[r].forEach((value, c) => {
        const left = names + c * cell;
        if (value === null) {
          context.strokeStyle = hone.color("line");
          context.strokeRect(left + 1.5, top + 1.5, cell - 3, kRow - 3);
          return;
        }
        const share = shareOf(value, range, part.value.log);
        context.fillStyle = hone.ramp(share);
        context.fillRect(left, top, cell - 1, kRow - 1);
        const marked = part.marked[r] === c;
        const number = cell > 46 ? hone.format(value, part.value.unit).replace(/x$/, "") : "";
        const text = [marked ? "★" : "", number].filter(Boolean).join(" ");
        context.fillStyle = hone.onRamp(share);
        context.textAlign = "center";
        context.fillText(text, left + (cell - 1) / 2, top + kRow / 2 + 0.5);
      });
    }
    drawLegend(context, part, range, 0, kHead + rows * kRow + 12, 150);
    return { names, cell };
  };

  const rowsShown = (part, state) => (state.all ? part.rows.length : Math.min(part.rows.length, kInitialRows));

  /** Returns the height including the button below. */
  hone.heatHeight = (part, state) => {
    const rows = rowsShown(part, state);
    return kHead + rows * kRow + kFoot + (rows < part.rows.length ? kMore : 0);
  };

  hone.drawHeat = (box, part, state) => {
    const canvas = hone.element("canvas", { role: "img", "aria-label": part.title });
    box.append(canvas);
    const hover = hone.hoverBox(box);
    let rows = rowsShown(part, state);
    let place = null;
    const redraw = () => { place = draw(canvas, part, rows, box.clientWidth); };
    redraw();
    canvas.addEventListener("mousemove", (event) => {
      const row = Math.floor((event.offsetY - kHead) / kRow);
      const column = Math.floor((event.offsetX - place.names) / place.cell);
      if (row < 0 || row >= rows || column >= part.columns.length) {
        hover.hide();
        return;
      }
      const lines = [part.rows[row]];
      if (column >= 0) {
        lines.push(`${part.x_label}: ${part.columns[column]}`);
        lines.push(part.cells[row][column] === null ? "not measured" : `${part.value.label}: ${hone.format(part.cells[row][column], part.value.unit)}`);
      }
      hover.show(event.offsetX, event.offsetY, lines);
    });
    canvas.addEventListener("mouseleave", hover.hide);
    if (rows < part.rows.length) {
      const more = hone.element("button", { class: "more", type: "button", text: `show all ${part.rows.length} rows` });
      more.addEventListener("click", () => {
        state.all = true;
        rows = part.rows.length;
        more.remove();
        redraw();
      });
      box.append(more);
    }
    const corner = (row, column) => [place.names + column * place.cell, kHead + row * kRow];
    return { resize: redraw, destroy() {}, part, corner };
  };

  hone.heatNumbers = (part) => [
    { name: part.y_label, texts: part.rows },
    ...part.columns.map((column, c) => ({
      name: column,
      unit: part.value.unit,
      numbers: part.cells.map((row) => row[c]),
    })),
  ];
})();
