/** The conversation as a list: its filter, its rows, and those that arrive. */

import { go } from "./address.js";
import { button, element, empty, problem } from "./dom.js";
import { FilterBar } from "./filter-bar.js";
import { counted, grouped } from "./format.js";
import { groupsMenu } from "./groups-menu.js";
import { columns, shownColumns } from "./list-columns.js";
import { Listing } from "./listing.js";
import { RowGrid } from "./row-grid.js";
import { currentTrace, kept, set, state, watch } from "./store.js";

const sides = [["client", "Client"], ["server", "Server"], ["all", "Both"]];

export class ListView {
  constructor(place) {
    this.isPaused = false;
    this.follows = true;
    this.chosen = -1;
    set({ wallClock: kept.get("wallClock", false), columns: kept.get("columns", null) });
    const bar = element("div", { class: "filter-bar", role: "search" });
    this.grid = new RowGrid({
      choose: (row) => this.select(row),
      scrolled: (isAtEnd) => this.setFollows(isAtEnd),
    });
    this.grid.element.addEventListener("keydown", (event) => this.press(event));
    this.message = element("div", { class: "list-message" });
    place.append(bar, this.tools(), element("div", { class: "grid" }, this.grid.element, this.message));
    this.filterBar = new FilterBar(bar, () => this.grid.element.focus());
    watch(["trace", "filter", "side"], () => this.open());
    watch(["row", "view"], () => this.followRow());
    // Rows have marks of findings once these are known.
    watch(["findings"], () => {
      if (state.findings?.length > 0) this.listing?.refresh();
    });
    watch(["wallClock", "columns", "traces", "held"], () => this.show());
    new ResizeObserver(() => this.drawTools()).observe(this.grid.element);
    this.open();
  }

  tools() {
    this.count = element("output", { id: "count", "aria-live": "polite" });
    this.pause = button("Pause", () => this.togglePause(), { id: "pause", hidden: true });
    this.side = element(
      "select",
      {
        id: "side",
        "aria-label": "Whose messages",
        title: "What the client sent and received, what the server did, or both where they differ",
        on: { change: () => go({ side: this.side.value === "client" ? null : this.side.value }) },
      },
      sides.map(([value, text]) => element("option", { value }, text)),
    );
    this.clock = button("Clock", () => {
      set({ wallClock: !state.wallClock });
      kept.set("wallClock", state.wallClock);
    }, { id: "clock", title: "Times by the clock, or since the trace began" });
    // What is held has its row once it goes on; until then it is found there.
    this.held = button("", () => go({ view: "held" }), { id: "held-now", class: "held-now", hidden: true });
    this.columnMenu = this.columnsMenu();
    return element(
      "div",
      { class: "tools" },
      this.count,
      this.pause,
      this.held,
      element("span", { class: "stretch" }),
      this.side,
      this.clock,
      groupsMenu(),
      this.columnMenu,
    );
  }

  columnsMenu() {
    const change = () => this.chooseColumns();
    const choices = columns.map(({ name, title, label }) =>
      element(
        "label",
        {},
        element("input", { type: "checkbox", data: { column: name }, on: { change } }),
        label ?? title,
      )
    );
    const reset = button("Default columns", () => {
      kept.set("columns", null);
      set({ columns: null });
    });
    return element(
      "details",
      { class: "menu" },
      element("summary", {}, "Columns"),
      element("div", { class: "menu-body" }, choices, reset),
    );
  }

  chooseColumns() {
    const boxes = [...this.columnMenu.querySelectorAll("input:checked")];
    const chosen = boxes.map((box) => box.dataset.column);
    kept.set("columns", chosen);
    set({ columns: chosen });
  }

  /** Makes the listing of the trace, filter and side. */
  async open() {
    this.listing?.close();
    const trace = currentTrace();
    if (!trace) return;
    const isCurrent = () => listing === this.listing;
    const failed = (error) => {
      if (isCurrent()) this.say(problem(error, () => this.open()));
    };
    const listing = new Listing(state.trace, state.filter, {
      side: state.side ?? "client",
      changed: () => {
        if (isCurrent()) this.changed();
      },
      touched: (names) => {
        if (names === null || names.includes(state.row)) set({ touched: state.touched + 1 });
      },
      failed,
    });
    Object.assign(this, { listing, isOpened: false, chosen: -1, isPaused: false, follows: trace.is_live });
    this.grid.source = listing;
    this.say(null);
    try {
      await listing.open();
    } catch (error) {
      failed(error);
      return;
    }
    if (!isCurrent()) return;
    this.isOpened = true;
    this.grid.count = listing.count;
    this.grid.scrollTo(0);
    this.changed();
    await this.followRow();
    await listing.complete;
    if (isCurrent() && this.chosen < 0) await this.followRow();
  }

  /** Takes in that there are more or other rows. */
  changed() {
    if (!this.isOpened) return;
    const { listing } = this;
    if (!this.isPaused) this.grid.count = listing.count;
    this.drawTools();
    if (listing.problem) this.say(problem({ message: listing.problem }, () => this.open()));
    else if (listing.count === 0 && listing.isComplete) this.say(this.emptiness());
    else if (!this.message.querySelector(".problem")) this.say(null);
    if (this.follows && currentTrace()?.is_live && !this.isPaused) this.grid.scrollTo(Infinity);
    else this.grid.draw();
  }

  emptiness() {
    if (state.filter) return empty("No row passes this filter", button("Show all rows", () => go({ filter: "" })));
    if (!currentTrace().is_live) {
      return empty(
        "This trace has no rows",
        "Record traffic with tapedeck record, or import a capture with tapedeck import.",
      );
    }
    return empty(
      "Nothing was recorded yet",
      "Point a client at the proxy; Set up says how. Rows appear here as they are recorded.",
      button("Set up", () => go({ view: "setup" })),
    );
  }

  say(content) {
    this.message.replaceChildren(...(content ? [content] : []));
    this.message.hidden = content == null;
  }

  drawTools() {
    const { listing } = this;
    const trace = currentTrace();
    if (!listing || !trace) return;
    const passes = state.filter ? (listing.count === 1 ? " passes" : " pass") : "";
    const more = listing.isComplete ? "" : ", more are being looked for…";
    this.count.textContent = this.isOpened ? `${counted(listing.count, "row")}${passes}${more}` : "…";
    const fresh = listing.count - this.grid.count;
    this.held.hidden = state.held.length === 0;
    this.held.textContent = `${state.held.length} held`;
    this.held.title = state.held.map(({ summary }) => summary).join("\n");
    this.pause.hidden = !trace.is_live;
    this.pause.textContent = this.isPaused
      ? `Resume${fresh > 0 ? ` (${grouped(fresh)} new)` : ""}`
      : this.follows
      ? "Pause"
      : "Follow";
    this.pause.setAttribute("aria-pressed", String(this.isPaused));
    this.side.value = state.side ?? "client";
    this.clock.textContent = state.wallClock ? "Wall clock" : "Since start";
    const names = shownColumns(this.grid.width).map(({ name }) => name);
    for (const box of this.columnMenu.querySelectorAll("input")) box.checked = names.includes(box.dataset.column);
  }

  /** Stops the list where it is, or lets it go on. */
  togglePause() {
    if (this.isPaused || this.follows) this.isPaused = !this.isPaused;
    this.follows = !this.isPaused;
    this.changed();
  }

  /** Follows new rows as long as the last one is in sight. */
  setFollows(follows) {
    if (!currentTrace()?.is_live || follows === this.follows) return;
    this.follows = follows;
    this.drawTools();
  }

  /** Selects the row that the address names, and scrolls to it. */
  async followRow() {
    if (state.view !== "list" || !this.isOpened) return;
    this.grid.draw();
    if (!state.row) {
      this.chosen = -1;
      return;
    }
    const { listing } = this;
    const place = await listing.place(state.row).catch(() => null);
    if (place == null || listing !== this.listing) return;
    this.chosen = place;
    this.reveal(place);
  }

  reveal(place) {
    if (!this.grid.reveal(place)) return;
    this.follows = false;
    this.drawTools();
  }

  /** Shows the row at a place. */
  async select(place) {
    if (place < 0 || place >= this.grid.count) return;
    this.chosen = place;
    this.reveal(place);
    const row = await this.listing.fetched(place).catch(() => null);
    if (row && this.chosen === place) go({ row: row.name }, { replaces: state.row != null });
  }

  /** Selects the row so many further; from no row, the first in sight. */
  move(step) {
    const last = this.grid.count - 1;
    if (last < 0) return;
    const from = this.chosen >= 0 ? this.chosen : Number.isFinite(step) ? this.grid.first - Math.sign(step) : 0;
    this.select(Math.min(last, Math.max(0, from + step)));
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { page } = this.grid;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.move(steps[event.key]);
    else if (event.key === "Enter" && state.row) document.getElementById("detail").focus();
    else return;
    event.preventDefault();
  }

  show() {
    this.drawTools();
    this.grid.draw();
  }
}
