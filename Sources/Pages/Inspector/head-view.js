/** The head of a request or response: its first line, and its fields as a table. */

import { element } from "./dom.js";

/** A head as recorded, in a table; what has no colon stands as it is. */
export function headTable(head, name) {
  const [first, ...lines] = head.replace(/\r?\n\r?\n$/, "").split(/\r?\n/);
  return element(
    "div",
    { class: "message-head" },
    element("p", { class: "first-line" }, first),
    element(
      "table",
      { class: "fields", "aria-label": `Fields of the ${name}` },
      element(
        "tbody",
        {},
        lines.filter((line) => line !== "").map((line) => {
          const colon = line.indexOf(":");
          return colon < 0 ? element("tr", {}, element("td", { colspan: 2 }, line)) : element(
            "tr",
            {},
            element("th", { scope: "row" }, line.slice(0, colon)),
            element("td", {}, line.slice(colon + 1).trim()),
          );
        }),
      ),
    ),
  );
}
