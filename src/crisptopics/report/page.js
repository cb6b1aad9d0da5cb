// What is chosen, and the page that follows it. The address after # is the only place where the choice is kept.
const state = { topic: 0, document: null };

function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const topic = asked.has("topic") ? Number(asked.get("topic")) : state.topic;
  const doc = asked.has("document") ? Number(asked.get("document")) : null;
  return { topic: Number.isInteger(topic) && topic >= 0 && topic < topics.length ? topic : state.topic, document: doc };
}

function setAddress(change) {
  Object.assign(state, change);
  const text = `#topic=${state.topic}` + (state.document === null ? "" : `&document=${state.document}`);
  if (location.hash !== text) history.replaceState(null, "", text);
}

function choose(topic) {
  if (topic === state.topic) return;
  location.hash = `topic=${topic}` + (state.document === null ? "" : `&document=${state.document}`);
  followAddress(); // at once; the event comes later, and finds nothing to do
}

function followAddress() {
  const asked = readAddress();
  if (asked.topic !== state.topic) {
    state.topic = asked.topic;
    showTopic();
    if (byId("filter").value || byId("sort").value === "share") findDocuments();
  }
  if (asked.document !== null && asked.document !== state.document) {
    state.document = asked.document;
    openDocument(asked.document);
  }
}

function relevantWords(topic) {
  const weight = Number(byId("relevance").value), total = topics[topic].words_total, everything = data.fit.tokens;
  const relevance = ([, here, all]) => weight * Math.log(here / total) + (1 - weight) * Math.log((here / total) / (all / everything));
  const scored = topics[topic].words.map((word) => [relevance(word), word]);
  return scored.sort((a, b) => b[0] - a[0] || b[1][1] - a[1][1]).slice(0, 20).map(([, word]) => word);
}

async function showWords() {
  const words = relevantWords(state.topic);
  byId("relevance-value").textContent = Number(byId("relevance").value).toFixed(1);
  const row = ([word, here, all]) => make("tr", {},
    make("th", { scope: "row" }, make("bdi", {}, word)),
    ...[thousands(here), percent(here / topics[state.topic].words_total, 2), thousands(all)].map((text) => make("td", { class: "n" }, text)));
  const head = ["word", "in this topic", "of the topic", "in all topics"].map((text, place) => make("th", { scope: "col", class: place ? "n" : "" }, text));
  byId("words").replaceChildren(
    make("caption", { class: "hidden" }, "Words of topic " + state.topic),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...words.map(row)));
  byId("words-chart").hidden = !words.length;
  if (words.length) await draw("words-chart", wordsSpec(state.topic, words));
}

async function showTopic() {
  const topic = state.topic, about = topics[topic];
  byId("choose-topic").value = topic;
  byId("topic-name").replaceChildren(chip(topic), " ", make("bdi", {}, about.name || "An empty topic"));
  const facts = [`${percent(about.share, 1)} of all words`, `in ${thousands(about.documents)} documents (${percent(about.document_share, 1)})`];
  if (about.coherence !== null) facts.push(`coherence ${about.coherence.toFixed(2)}`);
  byId("topic-facts").textContent = facts.join(" · ");
  showMore(about);
  views.map?.signal("picked", topic).runAsync();
  await showWords();
  if (data.time) await draw("topic-time", topicTimeSpec(topic));
}

function showMore(about) {
  const list = (items) => make("ul", {}, ...items.map((item) => make("li", {}, ...item)));
  const share = (text) => make("span", { class: "share" }, text);
  const parts = [];
  if (about.apart.length) {
    const words = about.apart.map((word) => shorten(word, 60)).join(", ");
    parts.push(make("div", { class: "whole" }, make("h4", {}, "Sets it apart from the other topics"), make("p", { class: "apart" }, make("bdi", {}, words))));
  }
  if (about.nearest.length) {
    const near = make("div", {}, make("h4", {}, "Nearest topics"), list(about.nearest.map(([topic, overlap]) => [topicLink(topic), " ", share(overlap.toFixed(2))])));
    if (about.merge) {
      const change = Math.abs(about.merge.change);
      const effect = ` would ${about.merge.change < 0 ? "lower" : "raise"} the objective by ${thousands(Math.round(change))} (${percent(change / data.fit.objective, 2)}).`;
      near.append(make("p", {}, "Joining it with ", topicLink(about.merge.topic), effect));
    }
    parts.push(near);
  } else if (topics.length > 1) parts.push(make("div", {}, make("h4", {}, "Nearest topics"), make("p", {}, "It shares no word with another topic.")));
  const typical = about.typical.map((number) => data.documents.find((doc) => doc.document === number));
  if (typical.length) {
    const link = (doc) => make("a", { class: "link", href: `#topic=${about.topic}&document=${doc.document}` }, make("bdi", {}, shorten(documentName(doc), 80)));
    parts.push(make("div", {}, make("h4", {}, "Typical documents"), list(typical.map((doc) => [link(doc), " ", share(percent(shareOf(doc, about.topic), 0))]))));
  }
  byId("topic-more").replaceChildren(...parts);
}

// The nearest circle in the arrow's direction: what lies sideways of it counts double.
const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
function neighbour(topic, [dx, dy]) {
  const here = topics[topic].place ?? [0, 0];
  let best = topic, least = Infinity;
  for (const other of topics) {
    if (!other.place || other.topic === topic) continue;
    const x = other.place[0] - here[0], y = other.place[1] - here[1];
    const ahead = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
    if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [other.topic, ahead + 2 * aside];
  }
  return best;
}

async function drawMap() {
  const side = byId("map").clientWidth;
  const view = await draw("map", mapSpec(side));
  view.addEventListener("click", (_, item) => item?.datum && "topic" in item.datum && choose(item.datum.topic));
  await view.signal("picked", state.topic).runAsync();
}

async function drawRest() {
  const width = byId("overview").clientWidth;
  const pick = (view) => view.addEventListener("click", (_, item) => item?.datum && "topic" in item.datum && choose(item.datum.topic));
  if (data.fit.history.length > 1) await draw("history-chart", historySpec());
  if (data.time) pick(await draw("time-chart", timeSpec(width)));
  if (data.labels) pick(await draw("labels-chart", labelsSpec(width)));
  if (data.choice) await draw("choice-chart", choiceSpec());
}

function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}
function showTheme() {
  byId("theme").setAttribute("aria-pressed", isDark());
}
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("crisptopics-theme", document.documentElement.dataset.theme);
  } catch { /* no storage: until the page is left */ }
  showTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);

byId("choose-topic").append(...topics.map((topic) => new Option(`${topic.topic}  ${topicName(topic.topic)}`, topic.topic)));
byId("choose-topic").addEventListener("change", (event) => choose(Number(event.target.value)));
byId("previous").addEventListener("click", () => choose((state.topic + topics.length - 1) % topics.length));
byId("next").addEventListener("click", () => choose((state.topic + 1) % topics.length));
byId("relevance").addEventListener("input", showWords);
byId("map").addEventListener("keydown", (event) => {
  if (!(event.key in directions)) return;
  event.preventDefault();
  choose(neighbour(state.topic, directions[event.key]));
});
addEventListener("hashchange", followAddress);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.topic, td a, th a");
  if (link && !link.closest("#topic")) byId("topics").scrollIntoView();
  const part = event.target.closest("nav a, a.skip");
  if (!part) return;
  event.preventDefault(); // the address keeps the topic
  const section = byId(part.hash.slice(1));
  section.scrollIntoView();
  section.querySelector("h2").focus({ preventScroll: true });
});
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not(.document)")) details.open = true;
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  drawMap();
  drawRest();
});

// Without an address: a topic that is coherent and in many documents, which says most at first sight.
function firstTopic() {
  const worth = (topic) => (topic.coherence ?? 0) * Math.sqrt(topic.document_share);
  return topics.reduce((best, topic) => (worth(topic) > worth(topics[best]) ? topic.topic : best), 0);
}

async function start() {
  for (const details of document.querySelectorAll("main details[open]")) details.open = false;
  for (const title of document.querySelectorAll("h2")) title.tabIndex = -1;
  showTheme();
  state.topic = firstTopic();
  const asked = readAddress();
  state.topic = asked.topic;
  findDocuments();
  await drawMap();
  await showTopic();
  if (asked.document !== null) openDocument((state.document = asked.document));
  performance.mark("topics"); // from here on everything can be used; the pictures below follow
  await drawRest();
  document.documentElement.dataset.ready = "";
}
start();
