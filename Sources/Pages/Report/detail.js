/** All that a report has of a row: what `show` says, and the findings that it shows. */

import { go, link } from "./address.js";
import { button, element } from "./dom.js";
import { arrow, subject, verb } from "./row-words.js";
import { words } from "./words-view.js";

/** Shows a row; what was left out is said. */
export function showDetail(place, name, row, close) {
  const head = element(
    "div",
    { class: "detail-head" },
    element(
      "div",
      { class: "detail-title" },
      element("h2", {}, row ? `${row.kind} ${row.name}` : name),
      element("span", { class: "soft ellipsis" }, row ? `${arrow(row)} ${verb(row)} ${subject(row)[0]}` : ""),
      button("×", close, { class: "plain close", "aria-label": "Close the detail", title: "Close (Escape)" }),
    ),
    element(
      "div",
      { class: "tools" },
      (row?.findings ?? []).map((finding) =>
        button(finding, () => {
          go({ view: "findings" });
          document.querySelector(`#finding-${finding} > summary`)?.focus();
        }, { title: "The finding that it shows" })
      ),
      row && element("a", { class: "button", href: link({ view: "list", row: row.name }) }, "Show in list"),
    ),
  );
  const left = (what) => element("p", { class: "warning" }, what);
  const body = !row
    ? left(`${name} is not in this report. tapedeck show has it.`)
    : row.text == null
    ? left("The details of this row were left out: the report would be too large. tapedeck show has them.")
    : words(row.text, row);
  place.replaceChildren(head, element("div", { class: "panel", tabindex: "0" }, [body].flat().filter(Boolean)));
}
