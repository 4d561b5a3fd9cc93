/** Two traces compared by meaning, as `tapedeck diff` does. */

import { get, ofTrace } from "./api.js";
import { link } from "./address.js";
import { element, empty, labelled, loading, portions, problem } from "./dom.js";
import { counted } from "./format.js";
import { currentTrace, state, watch } from "./store.js";
import { markedLines } from "./text-difference.js";

export class CompareView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    this.other = null;
    watch(["trace"], () => {
      if (state.view === "compare") this.show();
    });
  }

  show() {
    const others = state.traces.filter(({ id }) => id !== state.trace);
    if (others.length === 0) {
      this.place.replaceChildren(
        element("h2", {}, "Compare"),
        empty(
          "Only one trace is open",
          "Start the inspector with two to compare them:",
          element("pre", {}, `tapedeck inspect ${currentTrace()?.name ?? "good.tape"} other.tape`),
        ),
      );
      return;
    }
    if (this.drawn === state.trace) return;
    this.drawn = state.trace;
    if (!others.some(({ id }) => id === this.other)) this.other = others[0].id;
    const select = element("select", {
      on: {
        change: () => {
          this.other = Number(select.value);
          this.load();
        },
      },
    }, others.map(({ id, name, path }) => element("option", { value: String(id), title: path }, name)));
    select.value = String(this.other);
    this.result = element("div");
    this.place.replaceChildren(
      element(
        "div",
        { class: "tools" },
        element("h2", {}, `Compare ${currentTrace().name}`),
        labelled("with ", select),
      ),
      this.result,
    );
    this.load();
  }

  async load() {
    this.result.replaceChildren(loading("Comparing…"));
    try {
      const { lines } = await get(ofTrace("compare", { with: this.other }));
      const found = lines.filter(({ change }) => change);
      this.result.replaceChildren(
        ...(found.length === 0
          ? [empty("Both mean the same", "What is volatile, such as dates and tokens, was not compared.")]
          : [
            element(
              "p",
              { class: "soft" },
              `${counted(found.length, "difference")}. − is missing from the second, + was added in it, ~ changed.`,
            ),
            ...sections(found, this.other),
          ]),
        element(
          "p",
          { class: "soft" },
          "In a terminal: ",
          element(
            "code",
            {},
            `tapedeck diff ${currentTrace().name} ${state.traces.find(({ id }) => id === this.other).name}`,
          ),
        ),
      );
    } catch (error) {
      this.result.replaceChildren(problem(error, () => this.load()));
    }
  }
}

/** Differences by section, and within it by what was aligned. */
function sections(lines, other) {
  const bySection = new Map();
  for (const line of lines) {
    const items = bySection.get(line.section ?? "") ?? new Map();
    const key = `${line.change} ${line.a} ${line.b}`;
    items.set(key, [...(items.get(key) ?? []), line]);
    bySection.set(line.section ?? "", items);
  }
  return [...bySection].map(([section, items]) =>
    element(
      "section",
      {},
      element("h3", {}, section || "At the end"),
      portions([...items.values()], (same) => item(same, other)),
    )
  );
}

const signs = { missing: "−", added: "+", changed: "~", moved: "↕" };

function item(lines, other) {
  const [first] = lines;
  const both = first.a_line != null && first.b_line != null
    ? markedLines(first.a_line, first.b_line)
    : { before: [first.a_line], after: [first.b_line] };
  const row = (number, trace) =>
    number != null &&
    element(
      "a",
      { href: link({ trace, view: "list", filter: "", row: rowName(number, first) }) },
      rowName(number, first),
    );
  return element(
    "article",
    { class: `compared ${first.change}` },
    element(
      "span",
      { class: "sign", title: first.change, role: "img", "aria-label": first.change },
      signs[first.change] ?? "•",
    ),
    element(
      "div",
      {},
      first.a_line != null &&
        element(
          "div",
          { class: "line removed" },
          element("span", { class: "compared-row" }, row(first.a, state.trace) || ""),
          element("span", { class: "line-text" }, both.before.filter(Boolean)),
        ),
      first.b_line != null &&
        element(
          "div",
          { class: "line added" },
          element("span", { class: "compared-row" }, row(first.b, other) || ""),
          element("span", { class: "line-text" }, both.after.filter(Boolean)),
        ),
      lines.some(({ place }) => place) &&
        element(
          "table",
          { class: "members" },
          element(
            "tbody",
            {},
            lines.filter(({ place }) => place).map((line) =>
              element(
                "tr",
                {},
                element("th", { scope: "row" }, line.place),
                element("td", {}, line.a_value == null ? "–" : element("del", {}, line.a_value)),
                element("td", {}, line.b_value == null ? "–" : element("ins", {}, line.b_value)),
              )
            ),
          ),
        ),
    ),
  );
}

/** The name of an aligned row: numbers of commands stand before their channel, those of exchanges before a method. */
function rowName(number, line) {
  return /^\d+:/.test(line.a_line ?? line.b_line ?? "") ? `c${number}` : String(number);
}
