/** Deep links: #/TRACE/VIEW?filter=…&row=…&at=…&side=… names everything that is shown. */

import { set, state } from "./store.js";

const words = ["filter", "row", "at", "side"];

/** The address of what is shown, with changes. */
export function link(changes = {}) {
  const shown = { ...state, ...changes };
  const query = new URLSearchParams(words.filter((word) => shown[word]).map((word) => [word, shown[word]]));
  return `#/${shown.trace ?? 1}/${shown.view}${query.size > 0 ? `?${query}` : ""}`;
}

/** Shows something else. The back button leads back, unless it replaces what was shown. */
export function go(changes, { replaces = false } = {}) {
  const target = link(changes);
  if (target !== location.hash) history[replaces ? "replaceState" : "pushState"](null, "", target);
  set(changes);
}

/** What an address names. */
export function parsed(hash) {
  const match = /^#\/(\d+)\/([a-z-]+)(?:\?(.*))?$/.exec(hash);
  if (!match) return null;
  const query = new URLSearchParams(match[3] ?? "");
  return {
    trace: Number(match[1]),
    view: match[2],
    ...Object.fromEntries(words.map((word) => [word, query.get(word) ?? (word === "filter" ? "" : null)])),
  };
}
