// The list of documents: search, filter, sort, and a text with its words coloured.
const PAGE = 50;
const found = { rows: data.documents, shown: PAGE };
const texts = new Map(); // of documents, in lower case, made at the first search

const documentName = (doc) => doc.name ?? `document ${doc.document}`;
const shareOf = (doc, topic) => {
  const total = doc.topics.reduce((sum, [, tokens]) => sum + tokens, 0);
  return total ? (doc.topics.find(([other]) => other === topic)?.[1] ?? 0) / total : 0;
};

const plain = (doc, length) => doc.text
  ? doc.text.slice(0, length).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("")
  : doc.words.slice(0, length).map(([word]) => word).join(" ");
const beginning = (doc) => shorten(plain(doc, 40).trim().replace(/\s+/g, " "), 120);

function searchable(doc) {
  if (!texts.has(doc)) {
    const words = plain(doc);
    texts.set(doc, [documentName(doc), doc.label ?? "", doc.date ?? "", words].join("\n").toLowerCase());
  }
  return texts.get(doc);
}

const orders = {
  document: (a, b) => a.document - b.document,
  name: (a, b) => documentName(a).localeCompare(documentName(b), "en", { numeric: true }),
  date: (a, b) => ((a.date ?? "") < (b.date ?? "") ? -1 : (a.date ?? "") > (b.date ?? "") ? 1 : 0),
  tokens: (a, b) => b.tokens - a.tokens,
  topics: (a, b) => b.topics.length - a.topics.length,
  share: (a, b) => shareOf(b, state.topic) - shareOf(a, state.topic),
};

function findDocuments() {
  const wanted = byId("search").value.trim().toLowerCase(), filter = byId("filter").value;
  found.rows = data.documents
    .filter((doc) => filter !== "uses" || doc.topics.some(([topic]) => topic === state.topic))
    .filter((doc) => filter !== "main" || doc.topics[0]?.[0] === state.topic)
    .filter((doc) => !wanted || searchable(doc).includes(wanted));
  const order = orders[byId("sort").value];
  if (order !== orders.document) found.rows = found.rows.toSorted((a, b) => order(a, b) || a.document - b.document);
  found.shown = PAGE;
  byId("list").replaceChildren();
  showDocuments();
}

function showDocuments() {
  const list = byId("list"), rows = found.rows.slice(list.childElementCount, found.shown);
  list.append(...rows.map(documentRow));
  if (!found.rows.length) list.replaceChildren(make("p", { class: "nothing" }, "No document of the sample has all this. Search for less, or show all."));
  byId("more").hidden = found.shown >= found.rows.length;
  byId("found").textContent = found.rows.length === data.documents.length ? `${thousands(found.rows.length)} documents` : `${thousands(found.rows.length)} of ${thousands(data.documents.length)} documents`;
}

function documentRow(doc) {
  const about = [doc.date, doc.label].filter(Boolean).join(" · ");
  const row = make("details", { class: "document", "data-document": doc.document },
    make("summary", {},
      make("span", {}, make("bdi", {}, shorten(documentName(doc), 200)), make("bdi", { class: "excerpt" }, beginning(doc))),
      make("span", { class: "about" }, make("bdi", {}, shorten(about, 100))),
      make("span", { class: "about n" }, thousands(doc.tokens) + (doc.tokens === 1 ? " word" : " words")),
      topicBar(doc)));
  row.addEventListener("toggle", () => {
    if (row.open && !row.querySelector(".opened")) row.append(openedDocument(doc));
    if (row.open) setAddress({ document: doc.document });
    else if (state.document === doc.document) setAddress({ document: null });
  });
  return row;
}

function topicBar(doc) {
  const total = doc.topics.reduce((sum, [, tokens]) => sum + tokens, 0);
  const said = doc.topics.map(([topic, tokens]) => `topic ${topic} ${percent(tokens / total, 0)}`).join(", ");
  const bar = make("span", { class: "bar", role: "img", "aria-label": said || "no topic" });
  for (const [topic, tokens] of doc.topics) {
    const part = make("span", { class: "part " + marks(topic), title: `${topic}  ${topicName(topic)}: ${percent(tokens / total, 0)}` });
    part.style.flexGrow = tokens;
    if (tokens / total > 0.08) part.textContent = topic;
    bar.append(part);
  }
  return bar;
}

function openedDocument(doc) {
  const body = doc.text ? textOf(doc) : bagOf(doc);
  return make("div", { class: "opened" }, legend(doc, body), body);
}

// Pointing at a topic or choosing it shows its words alone.
function legend(doc, body) {
  const total = doc.topics.reduce((sum, [, tokens]) => sum + tokens, 0);
  const list = make("ul", { class: "legend", "aria-label": "Topics of the document" });
  const only = (topic) => {
    body.classList.toggle("only", topic !== null);
    for (const word of body.querySelectorAll(".word")) word.classList.toggle("chosen", word.dataset.topic === String(topic));
  };
  for (const [topic, tokens] of doc.topics) {
    const link = topicLink(topic);
    for (const event of ["mouseenter", "focus"]) link.addEventListener(event, () => only(topic));
    for (const event of ["mouseleave", "blur"]) link.addEventListener(event, () => only(null));
    list.append(make("li", {}, link, " ", make("span", { class: "share" }, percent(tokens / total, 0))));
  }
  if (!doc.topics.length) list.append(make("li", {}, "No word of this document is known to the model."));
  return list;
}

const wordMark = (word, topic, first) => make("span", { class: `word ${marks(topic)}${first ? " first" : ""}${word.length < 30 ? " whole" : ""}`, "data-topic": topic, title: `${topic}  ${topicName(topic)}` }, word);

// A number stands where the topic changes.
function textOf(doc) {
  const body = make("p", { class: "text", dir: "auto" });
  let before = null;
  for (const piece of doc.text) {
    if (typeof piece === "string") body.append(piece);
    else {
      body.append(wordMark(piece[0], piece[1], piece[1] !== before));
      before = piece[1];
    }
  }
  return body;
}

function bagOf(doc) {
  const body = make("p", { class: "text bag" });
  let before = null;
  for (const [word, count, topic] of doc.words) {
    const mark = topic >= 0 ? wordMark(word, topic, topic !== before) : make("bdi", {}, word);
    body.append(make("span", {}, mark, ...(count > 1 ? [make("small", {}, ` ×${count}`)] : [])));
    before = topic;
  }
  if (doc.more) body.append(make("small", {}, `and ${thousands(doc.more)} more`));
  return body;
}

// Opens a document that may be far down the list or filtered out.
function openDocument(number) {
  if (!data.documents.some((doc) => doc.document === number)) return;
  if (!found.rows.some((doc) => doc.document === number)) {
    byId("search").value = byId("filter").value = "";
    findDocuments();
  }
  found.shown = Math.max(found.shown, PAGE * Math.ceil((found.rows.findIndex((doc) => doc.document === number) + 1) / PAGE));
  showDocuments();
  const row = byId("list").querySelector(`[data-document="${number}"]`);
  row.open = true;
  row.scrollIntoView({ block: "start" });
}

for (const id of ["filter", "sort"]) byId(id).addEventListener("change", findDocuments);
byId("search").addEventListener("input", findDocuments);
byId("more").addEventListener("click", () => {
  const next = found.shown;
  found.shown += PAGE;
  showDocuments();
  byId("list").children[next]?.firstChild.focus();
});
