/** All that is known of a row: in words first, then its parts. */

import { go, link } from "./address.js";
import { faultsTab } from "./altered-view.js";
import { get, ofTrace, text as fetchText } from "./api.js";
import { BodyView } from "./body-view.js";
import { changeTab, versionsTab } from "./change-view.js";
import { quoted } from "./completion.js";
import { findingsOf, message, parts, sql, timing } from "./detail-parts.js";
import { button, copy, element, loading, problem } from "./dom.js";
import { narrow } from "./filter-bar.js";
import { arrow, subject, verb } from "./row-words.js";
import { kept, state, watch } from "./store.js";
import { tabs } from "./tabs.js";
import { words } from "./words-view.js";

/** Which kinds of views have the detail beside them. */
const beside = ["list", "timeline", "state", "findings", "compare"];

export class DetailView {
  constructor(place) {
    this.place = place;
    this.tab = kept.get("tab", "words");
    watch(["row", "trace", "touched"], () => this.open());
    // A row has its findings once the trace was diagnosed.
    watch(["findings"], () => {
      if (state.findings?.some(({ steps }) => steps.some(({ row }) => row === state.row))) this.open();
    });
    watch(["view"], () => this.toggle());
    this.open();
  }

  toggle() {
    const isShown = state.row != null && beside.includes(state.view);
    this.place.hidden = !isShown;
    document.body.classList.toggle("has-detail", isShown);
  }

  async open() {
    this.toggle();
    this.asking?.abort();
    if (state.row == null) {
      this.place.replaceChildren();
      return;
    }
    this.asking = new AbortController();
    const { signal } = this.asking;
    const name = state.row;
    if (this.name !== name) this.place.replaceChildren(this.head(name, null), loading(`Fetching ${name}…`));
    try {
      const found = await get(ofTrace(`rows/${encodeURIComponent(name)}`), signal);
      if (signal.aborted) return;
      this.name = name;
      this.draw(name, found);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.place.replaceChildren(this.head(name, null), problem(error, () => this.open()));
    }
  }

  head(name, row) {
    const path = (rest) => ofTrace(`rows/${encodeURIComponent(name)}${rest}`);
    const [main, rest] = row ? subject(row) : ["", ""];
    const copyFrom = (rest, what) => async () => {
      try {
        await copy(await fetchText(path(rest)), what);
      } catch (error) {
        this.place.prepend(problem(error));
      }
    };
    return element(
      "div",
      { class: "detail-head" },
      element(
        "div",
        { class: "detail-title" },
        element("h2", {}, `${row ? `${row.kind} ` : name.startsWith("k") ? "connection " : ""}${name}`),
        element(
          "span",
          { class: "soft ellipsis", title: `${main} ${rest}` },
          row ? `${arrow(row)} ${verb(row)} ${main || rest}` : "",
        ),
        button("×", () => close(), { class: "plain close", "aria-label": "Close the detail", title: "Close (Escape)" }),
      ),
      element(
        "div",
        { class: "tools" },
        button("Copy link", () => copy(`${location.origin}/${link({ row: name, view: "list" })}`, "the link")),
        button("Copy text", copyFrom("/text", "the text")),
        row?.kind === "exchange" &&
          button("Copy as curl", copyFrom("/curl", "the command"), { title: "As a command of curl" }),
        row?.kind === "exchange" &&
          element("a", { class: "button", href: path("/har"), download: `${name}.har` }, "HAR"),
        row && state.view !== "list" &&
          element("a", { class: "button", href: link({ view: "list", row: name }) }, "Show in list"),
        row &&
          scope(row).map(([title, condition]) =>
            button(title, () => narrow(condition), { title: `Filter the list by ${condition}` })
          ),
        row &&
          button(`k${row.connection_id}`, () => go({ row: `k${row.connection_id}` }), {
            title: `Connection ${row.connection_id}`,
          }),
      ),
    );
  }

  draw(name, found) {
    const { row } = found;
    const choices = row
      ? this.choices(name, found)
      : [{ name: "words", title: "In words", draw: () => words(found.text) }];
    const wasFocused = this.place.contains(document.activeElement) &&
      document.activeElement.getAttribute("role") === "tab";
    this.place.replaceChildren(
      this.head(name, row),
      ...tabs(`Parts of ${name}`, choices, this.tab, (tab) => {
        this.tab = tab;
        kept.set("tab", tab);
      }),
    );
    this.place.setAttribute("aria-label", `Detail of ${row?.kind ?? "connection"} ${name}`);
    if (wasFocused) this.place.querySelector("[role=tab][aria-selected=true]").focus();
  }

  choices(name, found) {
    const { row, detail } = found;
    const path = ofTrace(`rows/${encodeURIComponent(name)}/content`);
    const list = [{ name: "words", title: "In words", draw: () => words(found.text, row) }];
    if (row.kind === "exchange") {
      list.push({
        name: "request",
        title: "Request",
        draw: () => message(detail.request, path, "client", "request", detail.parts),
      }, {
        name: "response",
        title: "Response",
        draw: () => message(detail.response, path, "server", "response", detail.parts),
      });
      if (detail.parts?.length > 0) {
        list.push({
          name: "parts",
          title: "Parts",
          count: detail.parts.length,
          draw: () => parts(detail, path),
        });
      }
      list.push({ name: "timing", title: "Timing", draw: () => timing(row) });
    } else {
      // The content of a command is that of its message, which has the channel and the name before its payload.
      const given = row.kind === "command" ? detail.command.payload : undefined;
      list.push({
        name: "request",
        title: "Payload",
        draw: () => new BodyView(path, { side: row.sender }, `Payload of ${name}`, { given }).element,
      });
    }
    if (detail.changes?.length > 0) {
      list.push({
        name: "change",
        title: "Change",
        count: detail.changes.length > 1 && detail.changes.length,
        draw: () => changeTab(detail),
      });
    }
    if (row.kind === "command" && row.bucket && (row.key || detail.changes?.length > 0)) {
      list.push({
        name: "versions",
        title: "Versions",
        draw: () => versionsTab(row, detail),
      });
    }
    if (caseIds(found).length > 0) {
      list.push({
        name: "versions",
        title: "Cases",
        count: caseIds(found).length,
        draw: () => versionsTab(row, detail, caseIds(found)),
      });
    }
    if (row.findings?.length > 0) {
      list.push({
        name: "findings",
        title: "Findings",
        count: row.findings.length,
        level: row.marks?.some((mark) => mark.startsWith("error ")) ? "error" : "warning",
        draw: () => findingsOf(row),
      });
    }
    const counterpart = (detail.exchange ?? detail.command ?? detail).counterpart_id;
    if (detail.faults?.length > 0 || counterpart != null) {
      list.push({
        name: "faults",
        title: "Faults",
        count: detail.faults?.length,
        level: "fault",
        draw: () => faultsTab(row, detail, counterpart),
      });
    }
    list.push({ name: "sql", title: "SQL", draw: () => sql(name) });
    return list;
  }
}

/** What one may want to see alone: the object, the device, the connection of a row. */
function scope(row) {
  const conditions = [];
  if (row.bucket && row.key) {
    conditions.push(["Only this object", `bucket:${quoted(row.bucket)} key:${quoted(row.key)}`]);
  }
  if (row.device) conditions.push(["Only this device", `device:${quoted(row.device)}`]);
  return [...conditions, ["Only this connection", `connection:${row.connection_id}`]].slice(0, 1);
}

/** Closes the detail. */
export function close() {
  go({ row: null });
  document.getElementById("rows")?.focus();
}

/** Cases that a form of this exchange is about, as its text has them. */
function caseIds({ text, row }) {
  if (row.kind !== "exchange") return [];
  return [...new Set([...text.matchAll(/^ {4}case (\S+): /gm)].map((match) => match[1]))];
}
