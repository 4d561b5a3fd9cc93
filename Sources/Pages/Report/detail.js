import { element } from "./content.js";

/** Shows all that is known of a row. */
export function showDetail(place, row, open) {
  const title = element("h2", "", `${row.kind} ${row.name}`);
  const parts = [title];
  for (const finding of row.findings ?? []) {
    const button = element("button", "", finding);
    button.type = "button";
    button.addEventListener("click", () => open(finding));
    parts.push(button);
  }
  parts.push(row.text == null
    ? element("p", "warning", "The details of this row were left out: the report would be too large. tapedeck show has them.")
    : element("pre", "", row.text));
  place.replaceChildren(...parts);
  place.scrollTop = 0;
}
