/** What a report holds: rows in order of time, findings, the state at the end. */

/** Reads the content that stands in the page. */
export function readContent() {
  const content = JSON.parse(document.getElementById("content-data").textContent);
  content.places = new Map(content.rows.map((row, index) => [row.name, index]));
  return content;
}
