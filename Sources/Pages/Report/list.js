import { element, seconds, status, summary } from "./content.js";

const HEIGHT = 24;

/** The rows that fit a search, of which only those that can be seen are elements. */
export class RowList {
  constructor(place, content, choose) {
    this.place = place;
    this.content = content;
    this.choose = choose;
    this.shown = content.rows.map((row) => row.index);
    this.chosen = -1;
    this.space = element("div");
    place.append(this.space);
    place.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(place);
    place.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.select(Number(row.dataset.index));
    });
    this.draw();
  }

  /** Shows the rows in which all words occur. */
  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word);
    this.shown = this.content.rows.filter((row) => {
      row.words ??= `${row.name} ${row.kind} ${row.status ?? ""} ${row.api ?? ""} ${(row.marks ?? []).join(" ")} ${summary(row)}`.toLowerCase();
      return words.every((word) => row.words.includes(word));
    }).map((row) => row.index);
    this.place.scrollTop = 0;
    this.draw();
    return this.shown.length;
  }

  /** Selects a row by its index among all. */
  select(index) {
    this.chosen = index;
    const place = this.shown.indexOf(index);
    if (place >= 0) {
      const top = place * HEIGHT;
      if (top < this.place.scrollTop) this.place.scrollTop = top;
      const bottom = top + HEIGHT - this.place.clientHeight;
      if (bottom > this.place.scrollTop) this.place.scrollTop = bottom;
    }
    this.draw();
    this.choose(this.content.rows[index]);
  }

  /** Selects the row so many further. */
  move(step) {
    if (this.shown.length === 0) return;
    const place = this.shown.indexOf(this.chosen);
    const next = place < 0 ? 0 : Math.min(this.shown.length - 1, Math.max(0, place + step));
    this.select(this.shown[next]);
  }

  draw() {
    this.space.style.height = `${this.shown.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.place.scrollTop / HEIGHT) - 5);
    const count = Math.ceil((this.place.clientHeight || 600) / HEIGHT) + 10;
    const rows = this.shown.slice(first, first + count).map((index, offset) => this.row(index, first + offset));
    this.space.replaceChildren(...rows);
    const chosen = this.space.querySelector('[aria-selected="true"]');
    if (chosen) this.place.setAttribute("aria-activedescendant", chosen.id);
  }

  row(index, place) {
    const row = this.content.rows[index];
    const made = element("div", "row");
    made.id = `row-${row.name}`;
    made.dataset.index = index;
    made.style.top = `${place * HEIGHT}px`;
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", String(index === this.chosen));
    made.setAttribute("aria-posinset", String(place + 1));
    made.setAttribute("aria-setsize", String(this.shown.length));
    const { text, level } = status(row);
    const what = element("span", "what");
    for (const mark of row.marks ?? []) what.append(element("span", `mark ${mark.startsWith("error") ? "error" : "warning"}`, mark));
    what.append(summary(row));
    made.append(
      element("span", "id", row.name), element("span", "time", seconds(row.at_ns)),
      element("span", "kind", row.kind), element("span", `status ${level}`, text), what);
    return made;
  }
}
