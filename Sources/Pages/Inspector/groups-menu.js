/** Groups of the rows that are listed: by interface, status, bucket, object, device, client and connection, each with its count. */

import { go } from "./address.js";
import { get, ofTrace } from "./api.js";
import { narrowed, quoted } from "./completion.js";
import { button, element, loading, problem } from "./dom.js";
import { grouped } from "./format.js";
import { state } from "./store.js";

const MOST = 8;
const fields = [
  ["api", "Interface"],
  ["status", "Status"],
  ["bucket", "Bucket"],
  ["key", "Object"],
  ["device", "Device"],
  ["clientid", "Client"],
  ["connection", "Connection"],
];

/** A menu that counts when it is opened, and lists one group alone when that is chosen. */
export function groupsMenu() {
  const body = element("div", { class: "menu-body groups" });
  const menu = element("details", { class: "menu" }, element("summary", {}, "Groups"), body);
  menu.addEventListener("toggle", () => {
    if (menu.open) fill();
  });

  async function fill() {
    body.replaceChildren(loading("Counting…"));
    try {
      const found = await Promise.all(
        fields.map(([field]) => get(ofTrace("values", { field, filter: state.filter, limit: MOST }))),
      );
      body.replaceChildren(...fields.map(([field, title], index) => group(field, title, found[index])).filter(Boolean));
    } catch (error) {
      body.replaceChildren(problem(error, fill));
    }
  }

  function group(field, title, { values, is_complete: isComplete }) {
    if (values.length === 0) return null;
    return element(
      "section",
      { "aria-label": title },
      element("h3", {}, title, !isComplete && element("span", { class: "soft" }, " (of the first rows)")),
      element(
        "ul",
        {},
        values.map(({ value, count }) =>
          element(
            "li",
            {},
            button(String(value), () => {
              menu.open = false;
              go({ view: "list", filter: narrowed(state.filter, `${field}:${quoted(String(value))}`) });
            }, { class: "plain ellipsis", title: `${field}:${value}` }),
            element("span", { class: "soft number" }, grouped(count)),
          )
        ),
      ),
    );
  }

  return menu;
}
