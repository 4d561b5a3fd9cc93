/** What a report holds: rows in order of time, findings, the state at the end. */

/** Reads the content that stands in the page. */
export function readContent() {
  const content = JSON.parse(document.getElementById("content").textContent);
  content.rows.forEach((row, index) => { row.index = index; });
  content.places = new Map(content.rows.map((row) => [row.name, row.index]));
  return content;
}

/** What a row is about, in a line. */
export function summary(row) {
  if (row.kind === "exchange") return `${row.method} ${row.url ?? `${row.scheme}://${row.host}${row.path}`}`;
  if (row.kind === "command") {
    return [row.command, row.bucket, row.key].filter((part) => part).join(" ");
  }
  return row.payload ?? "";
}

/** The way of a row: of an exchange there and back. */
export function arrow(row) {
  return row.kind === "exchange" ? "⇄" : row.sender === "client" ? "→" : "←";
}

/** How a row ended, as a word and a class. */
export function status(row) {
  if (row.kind !== "exchange") return { text: arrow(row), level: "" };
  if (row.status == null) return { text: "–", level: "warning" };
  return { text: String(row.status), level: row.status >= 500 ? "error" : row.status >= 400 ? "warning" : "good" };
}

/** Nanoseconds as seconds with milliseconds. */
export function seconds(nanoseconds) {
  return (nanoseconds / 1e9).toFixed(3);
}

/** An element with a class and text. */
export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text != null) made.textContent = text;
  return made;
}
