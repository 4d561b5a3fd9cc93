/** The rows of a report that fit a search, as the list of the inspector. */

import { go } from "./address.js";
import { button, element } from "./dom.js";
import { counted, seconds } from "./format.js";
import { RowGrid } from "./row-grid.js";
import { subject, verb } from "./row-words.js";
import { state, watch } from "./store.js";

export class RowList {
  constructor(place, content) {
    this.content = content;
    this.between = null;
    this.grid = new RowGrid({ choose: (shown) => this.select(shown), scrolled() {/* Nothing is added. */} });
    this.grid.source = this;
    this.input = element("input", {
      id: "words",
      type: "search",
      autocomplete: "off",
      placeholder: "Words in a row",
      "aria-label": "Search",
      "aria-keyshortcuts": "/",
      on: { input: () => this.search() },
    });
    this.count = element("output", { id: "count", for: "words", class: "soft" });
    this.stretch = button("", () => this.narrow(null), { class: "chip", hidden: true, title: "Show all times" });
    this.grid.element.addEventListener("keydown", (event) => this.press(event));
    const form = element("form", { class: "filter-bar search-line", role: "search" }, this.input, this.stretch, this.count);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.grid.element.focus();
      this.move(0);
    });
    place.append(form, element("div", { class: "grid" }, this.grid.element));
    watch(["row", "view"], () => this.follow());
    this.search();
  }

  row(place) {
    return this.content.rows[this.shown[place]];
  }

  want() {/* All rows are there. */}

  /** Shows the rows of the stretch in which all words occur. */
  search(text = this.input.value) {
    this.input.value = text;
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    const fits = (row) => {
      if (this.between && (row.at_ns > this.between[1] || (row.ended_ns ?? row.at_ns) < this.between[0])) return false;
      row.words ??= [row.name, row.kind, row.status, row.api, ...(row.marks ?? []), verb(row), ...subject(row)].join(" ").toLowerCase();
      return words.every((word) => row.words.includes(word));
    };
    this.shown = [...this.content.rows.keys()].filter((index) => fits(this.content.rows[index]));
    const all = this.content.rows.length;
    this.count.textContent = this.shown.length === all ? counted(all, "row") : `${this.shown.length} of ${counted(all, "row")}`;
    this.grid.count = this.shown.length;
    this.grid.scrollTo(0);
  }

  /** Shows the rows of a stretch alone; of all times for null. */
  narrow(between) {
    this.between = between;
    this.stretch.hidden = between == null;
    this.stretch.textContent = between ? `${seconds(between[0])} – ${seconds(between[1])} s ×` : "";
    this.search();
  }

  /** Scrolls to the row that the address names; what does not fit the search is searched for no more. */
  follow() {
    if (state.view !== "list") return;
    const index = this.content.places.get(state.row);
    if (index !== undefined && !this.shown.includes(index)) {
      this.between = null;
      this.narrow(null);
      this.search("");
    }
    const place = this.shown.indexOf(index);
    if (place < 0 || !this.grid.reveal(place)) this.grid.draw();
  }

  select(place) {
    const row = this.row(place);
    if (row) go({ row: row.name }, { replaces: state.row != null });
  }

  /** Selects the row so many further. */
  move(step) {
    if (this.shown.length === 0) return;
    const place = this.shown.indexOf(this.content.places.get(state.row));
    this.select(place < 0 ? 0 : Math.min(this.shown.length - 1, Math.max(0, place + step)));
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { page } = this.grid;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    this.move(steps[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }
}
