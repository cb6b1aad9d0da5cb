// Small helpers for the page's elements, and what every table can do: be copied and saved.
const data = JSON.parse(document.getElementById("data").textContent);
const topics = data.topics;
const byId = (id) => document.getElementById(id);
const thousands = (number) => number.toLocaleString("en");
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";
const shorten = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

// An element with attributes and children; strings become text, never markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const marks = (topic) => `c${topics[topic].colour} p${topics[topic].pattern % 5}`;
const chip = (topic) => make("span", { class: "chip " + marks(topic) }, String(topic));
const topicName = (topic) => shorten(topics[topic].name || "empty", 80);
function topicLink(topic) {
  return make("a", { class: "topic", href: "#topic=" + topic }, chip(topic), " ", make("bdi", {}, topicName(topic)));
}

function tableCells(id) {
  return [...byId(id).rows].map((row) =>
    [...row.cells].map((cell) => {
      const text = cell.textContent.trim();
      return cell.classList.contains("n") ? text.replaceAll(",", "") : text;
    })
  );
}

// A text that a spreadsheet would take for a formula gets a quotation mark before it.
const harmless = (cell) => (/^[=+@\t\r]|^-(?![\d.]+$)/.test(cell) ? "'" + cell : cell);
const csvCell = (cell) => (/[",\n\r]/.test(cell) ? '"' + cell.replaceAll('"', '""') + '"' : cell);

async function copyTable(id, button) {
  const text = tableCells(id)
    .map((row) => row.map((cell) => harmless(cell).replace(/[\t\n\r]/g, " ")).join("\t"))
    .join("\n");
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { readonly: "", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

function saveTable(id) {
  const text = tableCells(id).map((row) => row.map((cell) => csvCell(harmless(cell))).join(",")).join("\r\n") + "\r\n";
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  make("a", { href: address, download: id + ".csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.copy) copyTable(button.dataset.copy, button);
  if (button?.dataset.csv) saveTable(button.dataset.csv);
});
