/** Rows of which only those in sight are elements, however many there are. */

import { element, shown, visible } from "./dom.js";
import { duration } from "./format.js";
import { layoutOf, shownColumns } from "./list-columns.js";
import { sentence } from "./row-words.js";
import { state } from "./store.js";

const HEIGHT = 26;
// Browsers cap the height of an element, Firefox at 17.8 million pixels; above this the scroll position is scaled.
const TALLEST = 12_000_000;

/**
 * A grid in which `source` tells the rows: `row(place)` gives one or nothing, `want(first, last)` has them fetched.
 * `choose` is called with the place of a row that is clicked, `scrolled` with whether the last row is in sight.
 */
export class RowGrid {
  constructor({ choose, scrolled }) {
    Object.assign(this, { choose, scrolled, source: null, count: 0, top: 0, seenTop: 0, rows: [] });
    this.head = element("div", { role: "row", class: "row head" });
    this.window = element("div", { class: "window", role: "presentation" });
    this.space = element("div", { class: "space", role: "rowgroup" }, this.window);
    this.element = element(
      "div",
      {
        id: "rows",
        role: "grid",
        tabindex: "0",
        "aria-label": "Exchanges, messages and commands in order of time",
        on: { scroll: () => this.follow(), click: (event) => this.click(event) },
      },
      element("div", { role: "rowgroup", class: "head-group" }, this.head),
      this.space,
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  click(event) {
    const row = event.target.closest(".row[data-place]");
    if (row) this.choose(Number(row.dataset.place));
  }

  get width() {
    return this.element.clientWidth;
  }

  /** How many rows a page has. */
  get page() {
    return Math.max(1, Math.floor(this.extent().sight / HEIGHT) - 1);
  }

  /** The place of the first row in sight. */
  get first() {
    return Math.floor(this.top / HEIGHT);
  }

  /** How high all rows are, and the part of it that scrolls. */
  extent() {
    const sight = Math.max(0, this.element.clientHeight - HEIGHT);
    const total = this.count * HEIGHT;
    const height = Math.min(total, TALLEST);
    return { sight, height, furthest: Math.max(0, total - sight), reach: Math.max(0, height - sight) };
  }

  /** Takes in that the user has scrolled. */
  follow() {
    const { furthest, reach, sight } = this.extent();
    const { scrollTop } = this.element;
    const by = scrollTop - this.seenTop;
    if (by === 0) return;
    this.seenTop = scrollTop;
    if (reach === furthest) this.top = scrollTop;
    else if (Math.abs(by) < sight * 2) {
      // Small steps move by rows, whatever the scale; the bar is put where that is.
      this.top = Math.min(furthest, Math.max(0, this.top + by));
      this.placeBar();
    } else this.top = reach > 0 ? (scrollTop / reach) * furthest : 0;
    this.scrolled(this.top >= furthest - HEIGHT);
    this.drawSoon();
  }

  placeBar() {
    const { furthest, reach } = this.extent();
    const place = furthest > 0 ? Math.round((this.top / furthest) * reach) : 0;
    if (Math.abs(place - this.element.scrollTop) > 1) this.element.scrollTop = place;
    this.seenTop = this.element.scrollTop;
  }

  /** Scrolls to a distance from the first row. */
  scrollTo(top) {
    const { furthest, height } = this.extent();
    this.space.style.height = `${height}px`;
    this.top = Math.min(furthest, Math.max(0, top));
    this.placeBar();
    this.draw();
  }

  /** Scrolls as far as needed to have a row in sight; says whether it was not. */
  reveal(place) {
    const { sight } = this.extent();
    const top = place * HEIGHT;
    if (top >= this.top && top + HEIGHT <= this.top + sight) return false;
    this.scrollTo(top < this.top ? top : top + HEIGHT - sight);
    return true;
  }

  drawSoon() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
    });
  }

  draw() {
    if (!this.source || this.element.clientHeight === 0) return;
    const { sight, height } = this.extent();
    this.space.style.height = `${height}px`;
    this.element.setAttribute("aria-rowcount", String(this.count + 1));
    const columns = this.layOut();
    const { first } = this;
    const count = Math.max(0, Math.min(this.count - first, Math.ceil(sight / HEIGHT) + 1));
    this.setRowCount(count);
    this.turn(first);
    const rows = this.rows.map((_, index) => this.source.row(first + index));
    const scale = this.scale(rows.filter((row) => row));
    if (!rows.some((row) => row?.name === state.row)) this.element.removeAttribute("aria-activedescendant");
    rows.forEach((row, index) => this.drawRow(this.rows[index], first + index, row, columns, scale));
    if (count > 0) this.source.want(first - 20, first + count + 20);
  }

  /** The columns that have room; others than before are drawn anew. */
  layOut() {
    const columns = shownColumns(this.width);
    const layout = layoutOf(columns, this.width, this.count);
    if (this.layout === layout) return columns;
    this.layout = layout;
    this.element.style.setProperty("--columns", layout);
    this.head.replaceChildren(
      ...columns.map(({ title, label, class: kind }) =>
        element("span", { role: "columnheader", class: kind ?? "", "aria-label": label, title: label }, title)
      ),
    );
    for (const row of this.rows) Object.assign(row, { cells: null, drawn: null });
    return columns;
  }

  setRowCount(count) {
    while (this.rows.length < count) {
      const made = { element: element("div", { role: "row", class: "row" }), cells: null, drawn: null };
      this.rows.push(made);
      this.window.append(made.element);
    }
    while (this.rows.length > count) this.rows.pop().element.remove();
  }

  /** Moves rows that went out of sight at one end to the other, so that those that stay need not be drawn again. */
  turn(first) {
    const by = first - (this.drawnFirst ?? first);
    this.drawnFirst = first;
    if (by === 0 || Math.abs(by) >= this.rows.length) return;
    if (by > 0) {
      const left = this.rows.splice(0, by);
      this.rows.push(...left);
      this.window.append(...left.map((row) => row.element));
    } else {
      const left = this.rows.splice(by);
      this.rows.unshift(...left);
      this.window.prepend(...left.map((row) => row.element));
    }
  }

  /** From when to when the rows in sight go, for their bars. */
  scale(rows) {
    let from = Infinity;
    let to = -Infinity;
    for (const row of rows) {
      from = Math.min(from, row.at_ns);
      to = Math.max(to, row.ended_ns ?? row.at_ns);
    }
    const header = this.head.querySelector(".waterfall");
    if (header) {
      header.textContent = rows.length > 0 ? `0 – ${duration(to - from)}` : "";
      header.title = "Bars are relative to the rows in sight";
    }
    return { from, length: Math.max(1, to - from) };
  }

  drawRow(made, place, row, columns, scale) {
    const line = made.element;
    line.style.transform = `translateY(${place * HEIGHT - this.top}px)`;
    const isChosen = row != null && row.name === state.row;
    const key = row && `${place} ${this.layout} ${state.wallClock} ${row.ended_ns} ${row.marks?.length} ${
      state.held.length
    }`;
    if (!row || made.drawn !== row || made.key !== key) {
      Object.assign(made, { drawn: row, key });
      line.id = `row-${place}`;
      line.dataset.place = place;
      line.classList.toggle("odd", place % 2 === 1);
      line.setAttribute("aria-rowindex", String(place + 2));
      line.title = row ? visible(sentence(row)) : "";
      this.fill(made, row, columns);
    }
    line.setAttribute("aria-selected", String(isChosen));
    if (isChosen) this.element.setAttribute("aria-activedescendant", line.id);
    const cell = row && line.querySelector(".waterfall");
    if (cell) drawBar(cell, row, scale);
  }

  fill(made, row, columns) {
    if (!made.cells) {
      made.cells = columns.map(({ name, class: kind }) =>
        element("span", { role: "gridcell", class: kind ?? "", data: { column: name } })
      );
      made.element.replaceChildren(...made.cells);
    }
    columns.forEach((column, index) => {
      // A row that was not fetched yet has a place already.
      const parts = row ? column.show(row) : column.name === "subject" ? ["…"] : [];
      made.cells[index].replaceChildren(...shown(parts));
    });
  }
}

/** The bar of a row: until the response begins, and from there to its end. */
function drawBar(cell, row, { from, length }) {
  const bar = cell.firstElementChild ??
    cell.appendChild(element("span", { class: "bar" }, element("span", { class: "bar-rest" })));
  const share = (part, whole) => `${(part / whole) * 100}%`;
  const end = row.ended_ns ?? row.at_ns;
  bar.style.left = share(row.at_ns - from, length);
  bar.style.width = share(end - row.at_ns, length);
  bar.classList.toggle("is-point", row.ended_ns == null);
  const isAnswered = row.responded_ns != null && end > row.at_ns;
  bar.firstElementChild.style.width = isAnswered ? share(end - row.responded_ns, end - row.at_ns) : "0";
}
