/** The filter of the list: completed as one writes, applied when it is right, the mistake marked where it is. */

import { get, ofTrace } from "./api.js";
import { go } from "./address.js";
import { narrowed, partAt, quoted, toggled } from "./completion.js";
import { button, element } from "./dom.js";
import { kept, state, watch } from "./store.js";

const MOST = 12;
const RECENT = 20;
const chips = [
  ["Refused", "status>=400"],
  ["Changes", "command:c"],
  ["Errors", "error:*"],
  ["Restores", "api:commcare.restore"],
  ["Submissions", "api:commcare.submit"],
  ["From client", "sender:client"],
  ["Faults", "fault:*"],
  ["Findings", "finding:*"],
];

let fields = null;

/** The fields of the filter language, once asked for. */
async function knownFields() {
  fields ??= (await get("/v1/fields")).fields;
  return fields;
}

/** The bar, in a place; `leave` is called when one is done with it; `name` sets its ids apart from those of another. */
export class FilterBar {
  constructor(place, leave, { name = "", label = "Filter" } = {}) {
    this.leave = leave;
    this.name = name;
    this.options = [];
    this.offeredFor = "";
    this.chosen = -1;
    this.input = element("input", {
      id: `${name}filter`,
      type: "text",
      role: "combobox",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      "aria-expanded": "false",
      "aria-controls": `${name}completions`,
      "aria-autocomplete": "list",
      "aria-describedby": `${name}mistake`,
      "aria-label": label,
      "aria-keyshortcuts": "/",
      placeholder: 'Filter: status>=400, command:c key:note-1, "some words"',
    });
    this.shadow = element("div", { class: "shadow", "aria-hidden": "true" });
    this.menu = element("ul", {
      id: `${name}completions`,
      class: "completions",
      role: "listbox",
      "aria-label": "Completions",
      hidden: true,
    });
    this.mistake = element("p", { id: `${name}mistake`, class: "error mistake-line", "aria-live": "polite", hidden: true });
    this.chips = element("div", { class: "chips", role: "group", "aria-label": "Common filters" });
    this.star = button("Save", () => this.keep(), { title: "Save this filter, or remove it from the saved ones" });
    place.append(
      element(
        "div",
        { class: "filter-line" },
        element("div", { class: "filter-field" }, this.shadow, this.input, this.menu),
        button("Clear", () => {
          this.write("");
          this.input.focus();
        }, { title: "Show all rows" }),
        this.star,
      ),
      this.mistake,
      this.chips,
    );
    this.listen();
    watch(["filter", "trace"], () => this.follow());
    this.follow();
  }

  listen() {
    const { input } = this;
    input.addEventListener("input", () => {
      this.typed();
      this.complete();
    });
    input.addEventListener("scroll", () => {
      this.shadow.scrollLeft = input.scrollLeft;
    });
    input.addEventListener("click", () => this.complete());
    input.addEventListener("focus", () => this.complete());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.press(event));
    this.menu.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) this.take(Number(option.dataset.index));
    });
  }

  press(event) {
    const isOpen = !this.menu.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) return;
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.choose(
        (this.chosen + step + this.options.length + (this.chosen < 0 && step < 0 ? 1 : 0)) % this.options.length,
      );
    } else if (event.key === "Tab" && isOpen && !event.shiftKey) {
      this.take(Math.max(0, this.chosen));
    } else if (event.key === "Enter" && isOpen && this.chosen >= 0) {
      this.take(this.chosen);
    } else if (event.key === "Enter") {
      this.close();
      this.apply(this.input.value, { isFinal: true });
    } else if (event.key === "Escape" && isOpen) {
      this.close();
    } else if (event.key === "Escape") {
      this.leave();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Shows the filter of the address. */
  follow() {
    if (document.activeElement !== this.input || this.input.value.trim() !== state.filter) {
      this.input.value = state.filter;
      if (!state.filter) this.say(null);
    }
    this.drawChips();
  }

  write(text) {
    this.input.value = text;
    this.close();
    this.apply(text, { isFinal: true });
  }

  typed() {
    this.say(null);
    // What was written before is not applied any more, or it would come in place of this.
    this.asking?.abort();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.apply(this.input.value), 200);
  }

  /** Filters by a text if it is a filter. */
  async apply(text, { isFinal = false } = {}) {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const wanted = text.trim();
    try {
      if (wanted) await get(`/v1/filter?${new URLSearchParams({ text: wanted })}`, signal);
      if (signal.aborted) return;
      this.say(null);
      go({ filter: wanted, at: null }, { replaces: !isFinal && state.filter !== "" });
      if (!isFinal) return;
      if (wanted) {
        kept.set(
          "recent",
          [wanted, ...kept.get("recent", []).filter((each) => each !== wanted)].slice(0, RECENT),
        );
      }
      this.drawChips();
      this.leave();
    } catch (error) {
      if (error.name !== "AbortError") this.say(error, text.length - text.trimStart().length);
    }
  }

  /** Says what is wrong with the filter, under its place. */
  say(error, skipped = 0) {
    this.mistake.hidden = error == null;
    this.mistake.textContent = error ? `${error.message}${error.hint ? ` – ${error.hint}` : ""}` : "";
    if (error) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    this.shadow.replaceChildren();
    if (!error?.place) return;
    const scalars = [...this.input.value];
    const start = skipped + error.place.start;
    const end = Math.max(start + 1, skipped + error.place.end);
    this.shadow.append(
      scalars.slice(0, start).join(""),
      element("mark", { class: "mistake" }, scalars.slice(start, end).join("") || "\u00a0"),
      scalars.slice(end).join(""),
    );
    this.shadow.scrollLeft = this.input.scrollLeft;
  }

  /** Offers what can stand at the caret. */
  async complete() {
    const text = this.input.value;
    const caret = this.input.selectionStart ?? text.length;
    const options = text.trim() === "" ? earlier() : await this.optionsFor(text, caret).catch(() => []);
    if (this.input.value !== text || document.activeElement !== this.input) return;
    // An answer that comes after a choice leaves it, where it offers the same.
    const chosen = this.options[this.chosen]?.text;
    this.options = options.slice(0, MOST);
    this.offeredFor = text;
    this.chosen = -1;
    this.menu.hidden = this.options.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.menu.hidden));
    this.input.removeAttribute("aria-activedescendant");
    this.menu.replaceChildren(...this.options.map((option, index) =>
      element(
        "li",
        {
          role: "option",
          id: `${this.name}completion-${index}`,
          "aria-selected": "false",
          data: { index },
        },
        element("span", { class: "name" }, option.name),
        element("span", { class: "soft" }, option.about),
      )
    ));
    const still = chosen === undefined ? -1 : this.options.findIndex((option) => option.text === chosen);
    if (still >= 0) this.choose(still);
  }

  async optionsFor(text, caret) {
    const part = partAt(text, caret);
    if (!part) return [];
    const begun = part.begun.toLowerCase();
    if (part.field === null) {
      if (begun === "") return [];
      const known = (await knownFields()).filter(({ name }) => name.toLowerCase().includes(begun));
      known.sort((a, b) => b.name.startsWith(begun) - a.name.startsWith(begun) || a.name.localeCompare(b.name));
      const isCompared = (kind) => ["integer", "duration", "size"].includes(kind);
      return known.map(({ name, summary, kind, is_family: isFamily }) => ({
        name: isFamily ? `${name}.NAME` : name,
        about: summary,
        from: part.from,
        caret,
        text: `${name}${isFamily ? "." : isCompared(kind) ? "" : ":"}`,
      }));
    }
    const closed = (await knownFields()).find(({ name }) => name === part.field)?.values ?? [];
    const occurring = await get(ofTrace("values", { field: part.field, limit: 200 })).then(
      ({ values }) => values,
      () => [],
    );
    const counts = new Map(occurring.map(({ value, count }) => [String(value), count]));
    const values = [...counts.keys(), ...closed.filter((value) => !counts.has(value))];
    return values.filter((value) => value.toLowerCase().includes(begun) && value !== part.begun)
      .map((value) => ({
        name: value,
        about: counts.has(value) ? `${counts.get(value)}` : "does not occur",
        from: part.from,
        caret,
        text: `${quoted(value)} `,
      }));
  }

  choose(index) {
    this.chosen = index;
    [...this.menu.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    this.input.setAttribute("aria-activedescendant", `${this.name}completion-${index}`);
    this.menu.children[index]?.scrollIntoView({ block: "nearest" });
  }

  take(index) {
    const { text, from, caret } = this.options[index];
    const { value } = this.input;
    // What was written since it was offered is part of what it replaces.
    const end = caret + value.length - this.offeredFor.length;
    this.input.value = value.slice(0, from) + text + value.slice(end);
    this.input.setSelectionRange(from + text.length, from + text.length);
    this.typed();
    this.complete();
  }

  close() {
    this.menu.hidden = true;
    this.options = [];
    this.chosen = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Saves the filter, or removes it from those that are saved. */
  keep() {
    const filter = this.input.value.trim();
    if (!filter) return;
    const saved = kept.get("saved", []);
    kept.set("saved", saved.includes(filter) ? saved.filter((each) => each !== filter) : [...saved, filter]);
    this.drawChips();
  }

  drawChips() {
    const saved = kept.get("saved", []);
    this.star.setAttribute("aria-pressed", String(saved.includes(state.filter)));
    this.star.disabled = state.filter === "";
    const common = chips.map(([name, condition]) =>
      button(name, () => this.write(toggled(state.filter, condition)), {
        class: "chip",
        title: condition,
        "aria-pressed": String(state.filter !== "" && toggled(state.filter, condition).length < state.filter.length),
      })
    );
    const own = saved.map((filter) =>
      button(filter, () => this.write(state.filter === filter ? "" : filter), {
        class: "chip saved",
        title: `Saved: ${filter}`,
        "aria-pressed": String(state.filter === filter),
      })
    );
    this.chips.replaceChildren(...common, ...own);
  }
}

/** Filters that were saved or used before. */
function earlier() {
  const saved = kept.get("saved", []).map((filter) => ({ name: filter, about: "saved" }));
  const recent = kept.get("recent", []).map((filter) => ({ name: filter, about: "recent" }));
  return [...saved, ...recent.filter(({ name }) => !saved.some((each) => each.name === name))]
    .map((option) => ({ ...option, text: option.name, from: 0, caret: Infinity }));
}

/** Narrows the list to a further condition. */
export function narrow(condition) {
  go({ view: "list", filter: narrowed(state.filter, condition) });
}
