/** The page of a report: its views, the detail beside them, and the keys. */

import { go, link, parsed } from "./address.js";
import { readContent } from "./content.js";
import { showDetail } from "./detail.js";
import { button, element } from "./dom.js";
import { markSteps } from "./finding-groups.js";
import { showFindings } from "./findings.js";
import { RowList } from "./list.js";
import { set, state, watch } from "./store.js";
import { Timeline } from "./timeline.js";

const content = readContent();
const find = (id) => document.getElementById(id);
const views = [["list", "List", "l"], ["timeline", "Timeline", "t"], ["findings", "Findings", "f"], ["state", "State", "s"]];

document.title = `${content.trace} – tapedeck report`;
find("title").textContent = content.trace;
find("about").textContent = content.about;
set({ traces: [{ id: 1, name: content.trace, sessions: [], is_live: false }], trace: 1 });
follow();
// A view is shown before what it has is drawn: what is hidden has no size.
watch(["view", "row"], showView);

const list = new RowList(find("list"), content);
const timeline = new Timeline(find("timeline"), content, (stretch) => {
  list.narrow(stretch);
  go({ view: "list", row: null });
});
showFindings(find("findings"), content);
find("state").replaceChildren(element("h2", {}, "State at the end"), element("pre", {}, content.state));

function showView() {
  find("views").replaceChildren(...views.map(([name, title, key]) =>
    element("a", {
      href: link({ view: name }),
      title: `${title} (${key})`,
      "aria-current": name === state.view && "page",
      data: { view: name },
    }, title)
  ));
  for (const [name] of views) find(name).hidden = name !== state.view;
  if (state.view === "timeline") timeline.show();
}

function showRow() {
  const isShown = state.row != null && state.view !== "state";
  document.body.classList.toggle("has-detail", isShown);
  find("detail").hidden = !isShown;
  if (isShown) showDetail(find("detail"), state.row, content.rows[content.places.get(state.row)], close);
  markSteps(find("findings"));
}

function close() {
  go({ row: null });
  find("rows").focus();
}

function showKeys() {
  const keys = [
    ["/", "search"],
    ["j, k, ↑ ↓", "next row, row before"],
    ...views.map(([, title, key]) => [key, title]),
    ["Enter", "to the detail of the row"],
    ["Escape", "back"],
    ["?", "these keys"],
  ];
  const dialog = element(
    "dialog",
    { "aria-label": "Keys", on: { close: () => dialog.remove() } },
    element("h2", {}, "Keys"),
    element(
      "dl",
      { class: "keys" },
      keys.map(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]),
    ),
    content.leftOut && element("p", { class: "warning" }, content.leftOut),
    button("Close", () => dialog.close(), { autofocus: true }),
  );
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (event.target.matches("input")) find("rows").focus();
    else if (state.row != null) close();
    return;
  }
  if (event.target.matches("input")) return;
  const inList = (action) => () => {
    if (state.view !== "list") go({ view: "list" });
    action();
  };
  const actions = {
    "/": inList(() => list.input.focus()),
    "?": showKeys,
    j: inList(() => list.move(1)),
    k: inList(() => list.move(-1)),
    Enter: state.row != null && !event.target.matches("a, button, canvas, summary") && (() => find("detail").focus()),
    ...Object.fromEntries(views.map(([name, , key]) => [key, () => go({ view: name })])),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});
find("keys").addEventListener("click", showKeys);

/** Takes what the address names: as in the inspector, or a row or view alone. */
function follow() {
  const place = decodeURIComponent(location.hash.slice(1));
  const isView = views.some(([name]) => name === place);
  const named = parsed(location.hash) ?? { view: isView ? place : "list", row: isView || place === "" ? null : place };
  set({ view: views.some(([name]) => name === named.view) ? named.view : "list", row: named.row });
}

addEventListener("hashchange", follow);
addEventListener("popstate", follow);
watch(["view", "row"], showRow);
showView();
showRow();
list.follow();
