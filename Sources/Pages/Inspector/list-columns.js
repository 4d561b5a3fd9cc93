/** The columns of the list: how wide each is, and what it shows of a row. */

import { element } from "./dom.js";
import { bytes, clock, duration, seconds } from "./format.js";
import { arrow, badges, size, status, subject, verb, way } from "./row-words.js";
import { sessionOf, state } from "./store.js";

const plain = (name) => (row) => [row[name] ?? ""];

/** Columns by name; `from` is the least width of the list, in pixels, at which a column is shown by itself. */
export const columns = [
  {
    name: "row",
    title: "Row",
    width: (_, count) => `${Math.max(4, String(count).length + 1) * 7.3}px`,
    class: "soft",
    show: (row) => [row.name],
  },
  {
    name: "time",
    title: "Time",
    width: () => (state.wallClock ? "6.4rem" : "4.6rem"),
    class: "number soft",
    from: 480,
    show: (row) => [time(row)],
  },
  {
    name: "way",
    title: "",
    label: "Way",
    width: "1.2rem",
    show: (
      row,
    ) => [element("span", { role: "img", "aria-label": way(row), class: `way ${row.sender ?? ""}` }, arrow(row))],
  },
  { name: "verb", title: "What", width: (width) => (width < 480 ? "2.4rem" : "3.4rem"), show: (row) => [verb(row)] },
  {
    name: "status",
    title: "Status",
    width: (width) => (width < 480 ? "2.4rem" : "3rem"),
    show: (row) => {
      const { text, level } = status(row);
      return [element("span", { class: level }, text)];
    },
  },
  {
    name: "subject",
    title: "About",
    width: "minmax(5.5rem, 1fr)",
    show: (row) => {
      const [main, rest] = subject(row);
      return [element("span", { class: "main" }, main), rest && element("span", { class: "soft rest" }, rest)];
    },
  },
  {
    name: "marks",
    title: "Marks",
    width: (width) => (width < 600 ? "5.6rem" : width < 1200 ? "6.5rem" : width < 1600 ? "8.6rem" : "11rem"),
    class: "marks",
    show: (row) => badges(row),
  },
  { name: "api", title: "Interface", width: "9.5rem", class: "soft", from: 1500, show: plain("api") },
  { name: "host", title: "Host", width: "9rem", class: "soft", from: 1700, show: plain("host") },
  {
    name: "connection",
    title: "Conn.",
    label: "Connection",
    width: "2.8rem",
    class: "number soft",
    from: 900,
    show: (row) => [`k${row.connection_id}`],
  },
  { name: "device", title: "Device", width: "9rem", class: "soft", isOptional: true, show: plain("device") },
  { name: "size", title: "Size", width: "4.5rem", class: "number", from: 780, show: (row) => [bytes(size(row))] },
  { name: "duration", title: "Duration", width: "4.5rem", class: "number", from: 700, show: (row) => [took(row)] },
  {
    name: "waterfall",
    title: "Waterfall",
    width: (width) => `${Math.max(96, Math.min(260, width * 0.11))}px`,
    from: 960,
    class: "waterfall",
    show: () => [],
  },
];

/** The columns that are shown in a list of this width: those that were chosen, or those that have room. */
export function shownColumns(width) {
  return columns.filter(({ name, isOptional, from }) =>
    state.columns ? state.columns.includes(name) : !isOptional && (from ?? 0) <= width
  );
}

/** The widths of columns in a list of this width with so many rows, as a grid has them. */
export function layoutOf(shown, width, count) {
  return shown.map((column) => (typeof column.width === "function" ? column.width(width, count) : column.width)).join(
    " ",
  );
}

/** When a row began, as the reader has chosen. */
export function time(row) {
  const session = sessionOf(row);
  return state.wallClock && session ? clock(session, row.at_ns) : seconds(row.at_ns);
}

function took(row) {
  if (row.is_open) return "open";
  return row.ended_ns == null ? "" : duration(row.ended_ns - row.at_ns);
}
