/** Tabs, one of which is shown; arrow keys move between them. */

import { element } from "./dom.js";

/**
 * Tabs for `choices`: [{ name, title, count, draw }], where `draw` gives the content of a tab when it is first shown.
 * `chosen` is the name of the one shown first, and `remember` is called with every other.
 */
export function tabs(label, choices, chosen, remember) {
  const panel = element("div", { role: "tabpanel", class: "panel", id: "panel", tabindex: "0" });
  const drawn = new Map();
  const buttons = choices.map(({ name, title, count, level }) =>
    element(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": "panel",
        data: { name },
        on: { click: () => choose(name) },
      },
      title,
      count ? element("span", { class: `count ${level ?? ""}` }, String(count)) : null,
    )
  );
  const list = element("div", { role: "tablist", "aria-label": label, on: { keydown: press } }, buttons);

  function choose(name, { isFirst = false } = {}) {
    const choice = choices.find((each) => each.name === name) ?? choices[0];
    for (const each of buttons) {
      const isChosen = each.dataset.name === choice.name;
      each.setAttribute("aria-selected", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
      if (isChosen && each.isConnected) each.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (!drawn.has(choice.name)) drawn.set(choice.name, [choice.draw()].flat().filter(Boolean));
    panel.setAttribute("aria-labelledby", `tab-${choice.name}`);
    panel.replaceChildren(...drawn.get(choice.name));
    panel.scrollTop = 0;
    if (!isFirst) remember?.(choice.name);
  }

  function press(event) {
    const place = buttons.findIndex((each) => each.getAttribute("aria-selected") === "true");
    const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    const next = buttons[(to + buttons.length) % buttons.length];
    choose(next.dataset.name);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  choose(chosen, { isFirst: true });
  return [list, panel];
}
