// What each picture is, in Vega-Lite; colours are the page's own, so that light and dark need no second drawing.
const font = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif";
const options = {
  actions: false,
  renderer: "svg",
  ast: true, // Vega's expressions are interpreted: the page's policy forbids to compile them
  defaultStyle: false,
  logLevel: vega.Error,
  tooltip: { disableDefaultStyle: true, maxDepth: 1 },
  config: {
    background: null,
    font,
    view: { stroke: null },
    axis: {
      labelColor: "var(--muted)", titleColor: "var(--muted)", gridColor: "var(--line)", domainColor: "var(--line)",
      tickColor: "var(--line)", titleFontWeight: 400, titleFontSize: 12, labelFontSize: 12, labelLimit: 180,
    },
    header: { labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12 },
    legend: { labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12, titleFontWeight: 400 },
  },
};
const views = {};

async function draw(id, spec) {
  views[id]?.finalize();
  const result = await vegaEmbed(byId(id), { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...spec }, options);
  views[id] = result.view;
  return result.view;
}

const colour = (topic) => `var(--c${topics[topic].colour})`;

// Circles have the size that the layout gave them: the square from -1 to 1 fills the picture.
function mapSpec(side) {
  const scale = side / 2 - 12;
  const named = Math.min(side < 450 ? 12 : topics.length > 60 ? 18 : 30, topics.length);
  const least = topics.map((t) => t.share).sort((a, b) => b - a)[named - 1];
  const values = topics.flatMap((t, topic) => {
    if (!t.place) return [];
    const radius = Math.max(t.place[2] * scale, 2);
    const first = shorten(t.name.split(", ")[0], 18), half = 3.2 * first.length, middle = (side * (1 + t.place[0])) / 2;
    return [{
      topic, radius, x: t.place[0], y: t.place[1], size: 4 * radius * radius, colour: colour(topic), share: t.share,
      number: radius > 8 ? String(topic) : "", fontSize: Math.max(9, Math.min(17, radius * 0.6)),
      label: t.share >= least ? first : "", first, name: topicName(topic), words: percent(t.share, 2),
      drop: radius + 9, shift: Math.max(0, half - middle) - Math.max(0, middle + half - side),
    }];
  });
  const x = { field: "x", type: "quantitative", scale: { domain: [-1, 1] }, axis: null };
  const y = { field: "y", type: "quantitative", scale: { domain: [-1, 1] }, axis: null };
  const tooltip = [
    { field: "topic", type: "nominal", title: "topic" }, { field: "name", type: "nominal", title: "name" },
    { field: "words", type: "nominal", title: "of all words" },
  ];
  const raw = (field) => ({ field, type: "nominal", scale: null, legend: null });
  return {
    description: "Topics placed by similarity",
    width: side - 24, height: side - 24, padding: { left: 12, right: 12, top: 6, bottom: 18 }, autosize: "none",
    data: { values },
    params: [{ name: "picked", value: -1 }],
    encoding: { x, y },
    layer: [
      {
        mark: { type: "circle", cursor: "pointer", opacity: 1 },
        encoding: {
          size: { field: "size", type: "quantitative", scale: null, legend: null }, tooltip,
          fill: raw("colour"), stroke: raw("colour"),
          fillOpacity: { condition: { test: "datum.topic === picked", value: 0.6 }, value: 0.2 },
          strokeWidth: { condition: { test: "datum.topic === picked", value: 3.5 }, value: 1.2 },
          description: { field: "name", type: "nominal" },
        },
      },
      {
        mark: { type: "text", fontWeight: 650, cursor: "pointer", baseline: "middle", fill: "var(--ink)", aria: false },
        encoding: { text: { field: "number" }, size: { field: "fontSize", type: "quantitative", scale: null, legend: null }, tooltip },
      },
      {
        mark: {
          type: "text", fontSize: 11.5, baseline: "middle", fill: "var(--ink)", aria: false, cursor: "pointer",
          dy: { expr: "datum.drop" }, dx: { expr: "datum.shift" },
        },
        encoding: { text: { condition: { test: "datum.topic === picked", field: "first" }, field: "label" }, tooltip },
      },
    ],
  };
}

// The topic's words: the pale bar is the word in all topics, the strong one in this topic.
function wordsSpec(topic, words) {
  const values = words.map(([word, here, all], place) => ({
    place, word: shorten(word, 40), here, all, text: `${thousands(here)} of ${thousands(all)}`,
  }));
  const y = {
    field: "place", type: "ordinal", title: null,
    axis: { labelExpr: "data('words')[datum.value].word", ticks: false, domain: false, labelColor: "var(--ink)", labelFontSize: 13, labelPadding: 8, labelLimit: 130 },
    scale: { paddingInner: 0.28 },
  };
  const tooltip = [
    { field: "word", type: "nominal", title: "word" }, { field: "here", type: "quantitative", title: "in this topic", format: "," },
    { field: "all", type: "quantitative", title: "in all topics", format: "," },
  ];
  const bar = { type: "bar", cornerRadiusEnd: 3 }, room = byId("words-chart").clientWidth - 120; // beside the words
  const most = (Math.max(...words.map(([, , all]) => all)) * room) / (room - 100); // and the counts
  return {
    description: "Words of topic " + topic,
    width: "container", height: { step: 21 }, autosize: { type: "fit-x", contains: "padding" },
    data: { name: "words", values },
    encoding: { y, tooltip },
    layer: [
      { mark: { ...bar, fill: "var(--pale)" }, encoding: { x: { field: "all", type: "quantitative", axis: null, scale: { domainMax: most } } } },
      { mark: { ...bar, fill: colour(topic), aria: false }, encoding: { x: { field: "here", type: "quantitative" } } },
      {
        mark: { type: "text", align: "left", dx: 5, fontSize: 11, fill: "var(--muted)", aria: false },
        encoding: { x: { field: "all", type: "quantitative" }, text: { field: "text" } },
      },
    ],
  };
}

function historySpec() {
  const values = data.fit.history.map((step, place) => ({ iteration: place + 1, ...step, penalty: String(step.penalty) }));
  const several = new Set(values.map((step) => step.penalty)).size > 1;
  return {
    description: "Objective by iteration",
    width: "container", height: 170, autosize: { type: "fit", contains: "padding" },
    data: { values },
    mark: { type: "line", point: { filled: true, size: 45, fill: "var(--accent)" }, stroke: "var(--accent)", strokeWidth: 2 },
    encoding: {
      x: { field: "iteration", type: "quantitative", scale: { nice: false }, axis: { tickMinStep: 1, format: "d", grid: false } },
      y: { field: "objective", type: "quantitative", scale: { zero: false }, axis: { format: "~s", tickCount: 4 } },
      ...(several && { detail: { field: "penalty" } }),
      tooltip: [
        { field: "iteration", type: "quantitative" }, { field: "stage", type: "nominal" }, { field: "penalty", type: "nominal" },
        { field: "objective", type: "quantitative", format: ",.0f" }, { field: "moved", type: "quantitative", format: ",", title: "words moved" },
      ],
    },
  };
}

const totals = data.time ? data.time.tokens.map((row) => row.reduce((a, b) => a + b, 0)) : [];
const inPeriod = (topic) => data.time.periods.map((period, place) => ({
  topic, period, share: totals[place] ? data.time.tokens[place][topic] / totals[place] : null,
}));
const periodAxis = (count) => ({
  title: null, labelAngle: 0, grid: false, ticks: false, labelPadding: 5, labelOverlap: true,
  values: data.time.periods.filter((_, place) => place % Math.ceil(data.time.periods.length / count) === 0),
});
const areaMark = (fill) => ({ type: "area", line: { stroke: fill, strokeWidth: 1.6 }, fill, fillOpacity: 0.25, point: data.time.periods.length === 1 });
const periodTip = [
  { field: "period", type: "nominal" }, { field: "share", type: "quantitative", format: ".2%", title: "of the words" },
];

function topicTimeSpec(topic) {
  return {
    description: `Topic ${topic} over time`,
    width: "container", height: 70, autosize: { type: "fit", contains: "padding" },
    data: { values: inPeriod(topic) },
    mark: areaMark(colour(topic)),
    encoding: {
      x: { field: "period", type: "ordinal", scale: { type: "point" }, axis: periodAxis(6) },
      y: { field: "share", type: "quantitative", axis: { format: ".0%", title: null, tickCount: 2, domain: false, ticks: false } },
      tooltip: periodTip,
    },
  };
}

// Small pictures on one scale: the largest topics, in the order of their numbers.
function timeSpec(width) {
  const columns = Math.max(1, Math.min(4, Math.floor(width / 170)));
  const axis = 36, gap = 24, each = Math.floor((width - axis - (axis + gap) * (columns - 1) - 18) / columns);
  const shown = [...topics.keys()].sort((a, b) => topics[b].tokens - topics[a].tokens).slice(0, 30).sort((a, b) => a - b);
  const title = (topic) => shorten(`${topic}  ${topics[topic].name}`, Math.floor(each / 7));
  return {
    description: "Topics over time",
    data: { values: shown.flatMap(inPeriod).map((row) => ({ ...row, colour: colour(row.topic) })) },
    params: [{ name: "titles", value: Object.fromEntries(shown.map((topic) => [topic, title(topic)])) }],
    facet: {
      field: "topic", type: "nominal", title: null, sort: null,
      header: { labelExpr: "titles[datum.value]", labelAnchor: "start", labelFontWeight: 600, labelPadding: 4 },
    },
    columns, bounds: "flush", spacing: { row: 46, column: axis + gap },
    resolve: { scale: { y: "independent" }, axis: { x: "independent" } },
    spec: {
      width: each, height: 70,
      mark: { type: "area", fillOpacity: 0.25, line: { strokeWidth: 1.6 }, cursor: "pointer" },
      encoding: {
        x: { field: "period", type: "ordinal", scale: { type: "point" }, axis: periodAxis(2) },
        y: { field: "share", type: "quantitative", scale: { nice: 2 }, axis: { format: "~%", title: null, tickCount: 2, domain: false, ticks: false } },
        color: { field: "colour", type: "nominal", scale: null, legend: null },
        tooltip: periodTip,
      },
    },
  };
}

// Labels in rows, topics in columns under their numbers; the depth of the one colour is the share.
function labelsSpec(width) {
  const shown = [...topics.keys()].sort((a, b) => topics[b].tokens - topics[a].tokens).slice(0, 40).sort((a, b) => a - b);
  const values = data.labels.labels.flatMap((label, place) => {
    const row = data.labels.tokens[place], total = row.reduce((a, b) => a + b, 0);
    return shown.map((topic) => ({ place, label: shorten(label, 40), topic, name: topicName(topic), share: total ? row[topic] / total : 0 }));
  });
  const most = Math.max(...values.map((row) => row.share));
  return {
    description: "Share of each label's words in each topic",
    width: Math.max(shown.length * 27, Math.min(shown.length * 80, width - 190)), height: { step: 24 },
    data: { values },
    params: [{ name: "labels", value: data.labels.labels.map((label) => shorten(label, 40)) }],
    encoding: {
      x: { field: "topic", type: "ordinal", title: "topic", axis: { orient: "top", labelAngle: 0, domain: false, ticks: false }, scale: { paddingInner: 0.06 } },
      y: { field: "place", type: "ordinal", title: null, axis: { labelExpr: "labels[datum.value]", domain: false, ticks: false, labelColor: "var(--ink)", labelLimit: 170 }, scale: { paddingInner: 0.06 } },
      tooltip: [
        { field: "label", type: "nominal" }, { field: "topic", type: "nominal" }, { field: "name", type: "nominal" },
        { field: "share", type: "quantitative", format: ".1%", title: "of the label’s words" },
      ],
    },
    layer: [
      {
        mark: { type: "rect", cornerRadius: 3, fill: "var(--accent)", cursor: "pointer" },
        encoding: { fillOpacity: { field: "share", type: "quantitative", scale: { domain: [0, most], range: [0.04, 1] }, legend: null } },
      },
      {
        transform: [{ filter: "datum.share >= 0.1" }],
        mark: { type: "text", fontSize: 11, aria: false, fill: { expr: `datum.share > ${0.66 * most} ? 'var(--card)' : 'var(--ink)'` } },
        encoding: { text: { field: "share", type: "quantitative", format: ".0%" } },
      },
    ],
  };
}

function choiceSpec() {
  const values = data.choice.map((row) => ({ ...row, topics: String(row.n_components) }));
  const byPenalty = new Set(values.map((row) => row.penalty)).size > 1;
  const numbers = [...new Set(data.choice.map((row) => row.n_components))].sort((a, b) => a - b).map(String);
  const several = byPenalty && numbers.length > 1;
  const x = byPenalty
    ? { field: "penalty", type: "quantitative", scale: { type: "log", nice: false }, axis: { grid: false, format: "~r" } }
    : { field: "n_components", type: "quantitative", title: "number of topics", scale: { zero: false }, axis: { grid: false, format: "d", tickMinStep: 1 } };
  const line = {
    mark: { type: "line", point: { filled: true, size: 50 }, strokeWidth: 2, ...(!several && { stroke: "var(--accent)", color: "var(--accent)" }) },
    encoding: {
      x, y: { field: "icl", type: "quantitative", title: "integrated likelihood", scale: { zero: false }, axis: { tickCount: 5 } },
      ...(several && {
        color: { field: "topics", type: "nominal", sort: numbers, scale: { range: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((c) => `var(--c${c})`) } },
      }),
      tooltip: ["n_components", "penalty", "icl", "objective", "topics_per_document"].filter((key) => key in values[0])
        .map((field) => ({ field, type: "quantitative", title: field.replaceAll("_", " "), format: ",.6~g" })),
    },
  };
  const chosen = { data: { values: [{ penalty: data.fit.penalty }] }, mark: { type: "rule", stroke: "var(--muted)", strokeDash: [4, 4], aria: false }, encoding: { x } };
  return {
    description: "Integrated likelihood of each candidate",
    width: "container", height: 260, autosize: { type: "fit", contains: "padding" },
    data: { values }, layer: byPenalty ? [chosen, line] : [line],
  };
}
