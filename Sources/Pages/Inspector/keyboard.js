/** The keys of the whole page. */

import { go } from "./address.js";
import { button, element } from "./dom.js";
import { state } from "./store.js";
import { views } from "./views.js";

let isAfterG = false;

/** Listens for keys; `list` gives the list once it was opened, and `close` closes the detail. */
export function listen({ list, close }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (event.target.matches("input, textarea, select")) event.target.blur();
      else if (state.row != null) close();
      event.preventDefault();
      return;
    }
    if (event.target.matches("input:not([type=checkbox]), textarea, select")) return;
    const action = isAfterG ? viewAction(event.key) : actions(list)[event.key];
    isAfterG = !isAfterG && event.key === "g";
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function viewAction(key) {
  const view = views.find((each) => each.key === key);
  return view && (() => go({ view: view.name, at: null }));
}

function actions(list) {
  const inList = (action) => () => {
    if (state.view !== "list") go({ view: "list", at: null });
    action(list());
  };
  const isFree = state.view === "list" && document.activeElement === document.body;
  return {
    "/": state.view === "timeline"
      ? () => seize(document.getElementById("timeline-filter"))
      : inList((view) => seize(view.filterBar.input)),
    "?": showKeys,
    j: inList((view) => view.move(1)),
    k: inList((view) => view.move(-1)),
    // Without any focus, these move in the list too.
    ArrowDown: isFree && inList((view) => view.move(1)),
    ArrowUp: isFree && inList((view) => view.move(-1)),
    p: state.view === "list" && inList((view) => view.togglePause()),
    d: state.row != null && (() => document.getElementById("detail").focus()),
  };
}

/** Has a field take what is written next, in place of what it has. */
function seize(input) {
  input.focus();
  input.select();
}

/** Shows which keys there are. */
export function showKeys() {
  const keys = [
    ["/", "filter the list, or the timeline"],
    ["j, k", "next row, row before"],
    ["↑ ↓ Page Home End", "move in the list"],
    ["Enter, d", "to the detail"],
    ["Escape", "back: out of a field, then out of the detail"],
    ["p", "pause or follow a recording"],
    ["?", "these keys"],
    ...views.map(({ key, title }) => [`g ${key}`, title]),
  ];
  const dialog = element(
    "dialog",
    {
      "aria-labelledby": "keys-title",
      on: {
        close: () => dialog.remove(),
        click: (event) => {
          if (event.target === dialog) dialog.close();
        },
      },
    },
    element("h2", { id: "keys-title" }, "Keys"),
    element(
      "dl",
      { class: "keys" },
      keys.map(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]),
    ),
    button("Close", () => dialog.close(), { autofocus: true }),
  );
  document.body.append(dialog);
  dialog.showModal();
}
