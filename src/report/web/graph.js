"use strict";
// Directed graph as SVG: boxes in rows, edges from top to bottom with their labels.
(() => {
  const kWidth = 230;
  const kHeight = 44;
  const kGapX = 26;
  const kGapY = 46;
  const kLetters = 30;

  const svg = (tag, attributes, children = []) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") {
        element.textContent = value;
      } else {
        element.setAttribute(name, value);
      }
    }
    element.append(...children);
    return element;
  };

  const columnsIn = (part) => part.nodes.reduce((most, node) => Math.max(most, node.column + 1), 1);
  const rowsIn = (part) => part.nodes.reduce((most, node) => Math.max(most, node.row + 1), 1);
  const widthOf = (part) => columnsIn(part) * (kWidth + kGapX) + kGapX;

  hone.graphHeight = (part) => rowsIn(part) * (kHeight + kGapY) + kGapY;

  /** Returns the left top corner of each node; each row is centred. */
  const cornersOf = (part) => {
    const counts = new Map();
    for (const node of part.nodes) {
      counts.set(node.row, (counts.get(node.row) ?? 0) + 1);
    }
    return part.nodes.map((node) => [
      widthOf(part) / 2 + (node.column - counts.get(node.row) / 2) * (kWidth + kGapX) + kGapX / 2,
      kGapY / 2 + node.row * (kHeight + kGapY),
    ]);
  };

  const nodeOf = (node, [left, top]) => svg("g", { class: `node ${node.role}` }, [
    svg("title", { text: [node.label, node.detail].filter(Boolean).join("\n") }),
    svg("rect", { x: left, y: top, width: kWidth, height: kHeight, rx: node.role === "baseline" ? 20 : 5 }),
    svg("text", { x: left + kWidth / 2, y: top + (node.detail ? 18 : 27), text: hone.shortened(node.label, kLetters) }),
    ...(node.detail ? [svg("text", { class: "detail", x: left + kWidth / 2, y: top + 34, text: hone.shortened(node.detail, kLetters + 4) })] : []),
  ]);

  const edgeOf = (edge, corners) => {
    const [fromX, fromY] = [corners[edge.from][0] + kWidth / 2, corners[edge.from][1] + kHeight];
    const [toX, toY] = [corners[edge.to][0] + kWidth / 2, corners[edge.to][1]];
    const middle = (fromY + toY) / 2;
    return svg("g", { class: "edge" }, [
      svg("title", { text: edge.label }),
      svg("path", { d: `M${fromX},${fromY} C${fromX},${middle} ${toX},${middle} ${toX},${toY - 2}`, "marker-end": "url(#arrow)" }),
      svg("text", { x: fromX * 0.7 + toX * 0.3, y: middle + 4, text: hone.shortened(edge.label, kLetters) }),
    ]);
  };

  hone.drawGraph = (box, part) => {
    const corners = cornersOf(part);
    const [width, height] = [widthOf(part), hone.graphHeight(part)];
    const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      [svg("path", { d: "M0,0 L8,4 L0,8 z" })]);
    const picture = svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": part.title },
      [svg("defs", {}, [arrow]), ...part.edges.map((edge) => edgeOf(edge, corners)),
        ...part.nodes.map((node, i) => nodeOf(node, corners[i]))]);
    box.append(picture);
    return { resize() {}, destroy() {}, part };
  };

  hone.graphNumbers = (part) => [
    { name: "from", texts: part.edges.map((edge) => part.nodes[edge.from].label) },
    { name: "tensor", texts: part.edges.map((edge) => edge.label) },
    { name: "to", texts: part.edges.map((edge) => part.nodes[edge.to].label) },
  ];
})();
