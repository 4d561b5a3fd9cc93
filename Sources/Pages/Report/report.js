import { element, readContent } from "./content.js";
import { showDetail } from "./detail.js";
import { showFindings } from "./findings.js";
import { RowList } from "./list.js";
import { Timeline } from "./timeline.js";

const content = readContent();
const find = (id) => document.getElementById(id);
const views = ["list", "timeline", "findings", "state", "help"];
let timeline = null;

document.title = `${content.trace} – tapedeck report`;
find("title").textContent = content.trace;
find("about").textContent = content.about;

const list = new RowList(find("rows"), content, (row) => {
  showDetail(find("detail"), row, openFinding);
  history.replaceState(null, "", `#${row.name}`);
});

function openRow(name) {
  const index = content.places.get(name);
  if (index == null) return;
  show("list");
  if (!list.shown.includes(index)) search("");
  list.select(index);
}

function openFinding(name) {
  show("findings");
  const article = find(`finding-${name}`);
  article?.scrollIntoView();
  article?.focus();
}

function show(name) {
  for (const view of views) find(view).hidden = view !== name;
  find("detail").hidden = name !== "list";
  for (const button of document.querySelectorAll("nav button")) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  if (name === "timeline") {
    timeline ??= new Timeline(find("timeline"), content, (row) => openRow(row.name));
    timeline.draw();
  }
  if (name === "list") list.draw();
}

function search(text) {
  find("words").value = text;
  const count = list.search(text);
  find("count").textContent = count === content.rows.length ? `${count} rows` : `${count} of ${content.rows.length} rows`;
}

showFindings(find("findings"), content, openRow);
find("state").replaceChildren(element("h2", "", "State at the end"), element("pre", "", content.state));
const keys = [
  ["/", "search"], ["j, k, arrow keys", "next row, row before"], ["l t f s", "list, timeline, findings, state"],
  ["Enter", "to the detail of the row"], ["Escape", "back to the rows"], ["?", "this help"],
];
const help = element("dl");
for (const [key, what] of keys) help.append(element("dt", "", key), element("dd", "", what));
find("help").replaceChildren(element("h2", "", "Keys"), help, element("p", "", content.leftOut));

find("words").addEventListener("input", (event) => search(event.target.value));
find("search").addEventListener("submit", (event) => { event.preventDefault(); find("rows").focus(); list.move(0); });
for (const button of document.querySelectorAll("nav button")) button.addEventListener("click", () => show(button.dataset.view));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { find("rows").focus(); return; }
  if (event.target.matches("input, canvas") || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    "/": () => { show("list"); find("words").focus(); }, "?": () => show("help"), l: () => show("list"), t: () => show("timeline"),
    f: () => show("findings"), s: () => show("state"), j: () => list.move(1), k: () => list.move(-1),
    ArrowDown: () => list.move(1), ArrowUp: () => list.move(-1), PageDown: () => list.move(20), PageUp: () => list.move(-20),
    Home: () => list.move(-Infinity), End: () => list.move(Infinity), Enter: () => find("detail").focus(),
  };
  if (!actions[event.key] || (event.key === "Enter" && event.target.matches("button"))) return;
  event.preventDefault();
  actions[event.key]();
});

/** What the address says: a row, a view, or a search. */
function follow() {
  const place = decodeURIComponent(location.hash.slice(1));
  if (place.startsWith("?")) { show("list"); search(place.slice(1)); }
  else if (views.includes(place)) show(place);
  else if (content.places.has(place)) openRow(place);
  else show("list");
}

addEventListener("hashchange", follow);
search("");
follow();
