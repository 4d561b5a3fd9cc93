/** The page: its header, the views, the detail beside them, and the keys. */

import { get, ofTrace } from "./api.js";
import { go, link, parsed } from "./address.js";
import { close, DetailView } from "./detail-view.js";
import { element, empty, notice, problem } from "./dom.js";
import { began, counted, duration } from "./format.js";
import { listen, showKeys } from "./keyboard.js";
import { connect } from "./live.js";
import { splitter } from "./splitter.js";
import { currentTrace, kept, set, setHeld, state, watch } from "./store.js";
import { views } from "./views.js";

const find = (id) => document.getElementById(id);
const content = find("content");
const opened = new Map();
// More rows take seconds.
const DIAGNOSED = 20_000;
const BEFORE_DIAGNOSIS = 300;
const schemes = ["light dark", "light", "dark"];

/** Shows the view of the address, which is made when it is first shown. */
function showView() {
  const { name, title, View } = views.find((view) => view.name === state.view) ?? views[0];
  for (const { section } of opened.values()) section.hidden = true;
  if (!opened.has(name)) {
    const section = element("section", { id: name, class: "view", "aria-label": title });
    content.append(section);
    opened.set(name, { section, view: new View(section) });
  }
  const { section, view } = opened.get(name);
  section.hidden = false;
  document.body.dataset.view = name;
  document.title = `${title} – ${currentTrace()?.name ?? "Tapedeck"}`;
  view.show?.();
}

/** Links to the views; they stay the same elements, so that one keeps the focus. */
function drawViews() {
  const place = find("views");
  if (!place.hasChildNodes()) {
    place.append(
      ...views.map(({ name, title, key }) => element("a", { title: `${title} (g ${key})`, data: { view: name } })),
    );
  }
  views.forEach(({ name, title }, index) => {
    const each = place.children[index];
    each.href = link({ view: name, at: null });
    each.replaceChildren(...[title, count(name)].filter(Boolean));
    const isCurrent = name === state.view;
    if (isCurrent && !each.hasAttribute("aria-current")) each.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (isCurrent) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  });
}

function count(name) {
  const waiting = state.held.length;
  if (name === "held" && waiting > 0) return element("span", { class: "count warning" }, String(waiting));
  const found = name === "findings" ? (state.findings ?? []).filter((each) => !each.is_known) : [];
  if (found.length === 0) return null;
  const isError = found.some(({ severity }) => severity === "error");
  return element("span", { class: `count ${isError ? "error" : "warning"}` }, String(found.length));
}

function drawHeader() {
  const trace = currentTrace();
  if (find("trace").options.length !== state.traces.length) {
    find("trace").replaceChildren(
      ...state.traces.map(({ id, name, path }) => element("option", { value: String(id), title: path }, name)),
    );
  }
  find("trace").value = String(state.trace);
  find("about").replaceChildren(...(trace ? about(trace) : []));
  find("live").className = state.connection === "lost" ? "error" : trace?.is_live ? "good" : "soft";
  find("live").textContent = state.connection === "lost"
    ? "Not connected, trying again…"
    : trace?.is_live
    ? "● Recording"
    : "";
}

function about(trace) {
  const first = trace.sessions[0];
  const parts = [
    first && began(first),
    trace.end_ns > 0 && duration(trace.end_ns),
    trace.sessions.length > 1 && counted(trace.sessions.length, "session"),
    trace.is_read_only && "read-only",
  ];
  const warning = trace.warning && element("span", { class: "warning", title: trace.warning }, ` ${trace.warning}`);
  return [element("span", {}, parts.filter(Boolean).join(" · ")), warning].filter(Boolean);
}

function showScheme() {
  const scheme = kept.get("scheme", schemes[0]);
  document.documentElement.style.colorScheme = scheme;
  const name = { light: "Light", dark: "Dark" }[scheme] ?? "Auto";
  find("scheme").textContent = name;
  find("scheme").title = "Light, dark, or as the system has it";
  find("scheme").setAttribute("aria-label", `Colour scheme: ${name}`);
}

/** Takes what the address names; the first trace where it names none. */
function follow() {
  const place = parsed(location.hash);
  const isKnown = place && state.traces.some(({ id }) => id === place.trace) &&
    views.some(({ name }) => name === place.view);
  if (isKnown) set(place);
  else go({ trace: state.traces[0].id, view: "list", filter: "", row: null, at: null, side: null }, { replaces: true });
}

/** Diagnoses the trace for the marks in the list, unless it grows or is large; Findings does so in any case. */
async function loadFindings() {
  set({ findings: null, held: [] });
  const { exchanges, commands, is_live: isLive } = currentTrace();
  if (isLive || exchanges + commands === 0 || exchanges + commands > DIAGNOSED) return;
  const { trace } = state;
  // First come the rows that one looks at.
  await new Promise((settle) => setTimeout(settle, BEFORE_DIAGNOSIS));
  if (trace !== state.trace) return;
  try {
    const { findings } = await get(`/v1/traces/${trace}/findings`);
    if (trace === state.trace) set({ findings });
  } catch { /* The view of the findings says what went wrong. */ }
}

/** Fetches anew what is known of the traces and of what is held, as long as the one that is shown is recorded. */
async function refresh() {
  if (!currentTrace()?.is_live || document.hidden) return;
  try {
    const { trace } = state;
    const { traces } = await get("/v1/traces");
    set({ traces });
    if (trace !== state.trace) return;
    if (!currentTrace()?.is_live) notice("The recording has ended");
    else if (currentTrace().can_control) setHeld((await get(ofTrace("control/v1/held"))).held);
  } catch { /* What comes next says that the connection is lost. */ }
}

async function start() {
  showScheme();
  let found;
  try {
    found = await get("/v1/traces");
  } catch (error) {
    content.replaceChildren(problem(error, start));
    return;
  }
  content.replaceChildren();
  if (found.traces.length === 0) {
    content.replaceChildren(empty("No trace is open", "Start the inspector with one: tapedeck inspect app.tape"));
    return;
  }
  set({ traces: found.traces, version: found.version });
  follow();
  new DetailView(find("detail"));
  splitter(content, find("detail"));
  watch(["view", "trace"], showView);
  watch(["view", "trace", "held", "findings", "filter", "row", "side"], drawViews);
  watch(["traces", "trace", "connection"], drawHeader);
  watch(["trace"], loadFindings);
  drawHeader();
  drawViews();
  showView();
  connect();
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
  listen({ list: () => opened.get("list").view, close });
  setInterval(refresh, 2000);
  loadFindings();
}

find("trace").addEventListener(
  "change",
  (event) => go({ trace: Number(event.target.value), filter: "", row: null, at: null }),
);
find("scheme").addEventListener("click", () => {
  kept.set("scheme", schemes[(schemes.indexOf(kept.get("scheme", schemes[0])) + 1) % schemes.length]);
  showScheme();
});
// Menus close when something else is used, and with Escape.
document.addEventListener("pointerdown", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.firstElementChild.focus();
  event.stopImmediatePropagation();
});
find("keys").addEventListener("click", showKeys);
start();
