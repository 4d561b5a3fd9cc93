/** Two traces, or two sessions of one, compared by meaning, as `tapedeck diff` does. */

import { get, ofTrace } from "./api.js";
import { link } from "./address.js";
import { element, empty, loading, portions, problem } from "./dom.js";
import { began, counted } from "./format.js";
import { currentTrace, state, watch } from "./store.js";
import { markedLines } from "./text-difference.js";

export class CompareView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => {
      if (state.view === "compare") this.show();
    });
  }

  show() {
    const own = currentTrace();
    const others = state.traces.filter(({ id, sessions }) => id !== state.trace || sessions.length > 1);
    if (others.length === 0) {
      this.place.replaceChildren(
        element("h2", {}, "Compare"),
        empty(
          "There is nothing to compare it with",
          "Only one trace is open, and it has one session. Start the inspector with two:",
          element("pre", {}, `tapedeck inspect ${own?.name ?? "good.tape"} other.tape`),
        ),
      );
      return;
    }
    if (this.drawn === state.trace) return;
    this.drawn = state.trace;
    const first = others.find(({ id }) => id !== state.trace) ?? others[0];
    // Two sessions of one trace: the last with the one before it.
    const [last, before] = own.sessions.map(({ id }) => id).reverse();
    this.chosen = { other: first.id, session: null, withSession: null };
    if (first.id === state.trace) Object.assign(this.chosen, { session: before, withSession: last });
    this.result = element("div");
    this.place.replaceChildren(this.choices(others), this.result);
    this.load();
  }

  /** What is compared with what. */
  choices(others) {
    const own = currentTrace();
    const { chosen } = this;
    const withSession = this.sessionSelect("Session of the other", "withSession");
    const trace = select(
      "Other trace",
      others.map(({ id, name, path }) => [id, id === own.id ? `${name} itself` : name, path]),
      chosen.other,
      (value) => {
        chosen.other = value;
        withSession.fill(state.traces.find(({ id }) => id === value));
        this.load();
      },
    );
    const session = this.sessionSelect("Session of this", "session");
    session.fill(own);
    withSession.fill(state.traces.find(({ id }) => id === chosen.other));
    return element(
      "div",
      { class: "tools" },
      element("h2", {}, `Compare ${own.name}`),
      session.element,
      element("span", {}, "with"),
      trace,
      withSession.element,
    );
  }

  /** A choice of a session, hidden where there is but one. */
  sessionSelect(label, name) {
    const place = element("span");
    const fill = ({ sessions }) => {
      if (!sessions.some(({ id }) => id === this.chosen[name])) this.chosen[name] = null;
      place.replaceChildren(
        select(
          label,
          [[0, "all sessions"], ...sessions.map((session) => [session.id, `session ${session.id}, ${began(session)}`])],
          this.chosen[name] ?? 0,
          (value) => {
            this.chosen[name] = value || null;
            this.load();
          },
        ),
      );
      place.hidden = sessions.length < 2;
    };
    return { element: place, fill };
  }

  async load() {
    const { other, session, withSession } = this.chosen;
    if (other === state.trace && session === withSession) {
      this.result.replaceChildren(empty("This is one and the same", "Choose another session, or another trace."));
      return;
    }
    this.result.replaceChildren(loading("Comparing…"));
    const asked = JSON.stringify(this.chosen);
    try {
      const { lines } = await get(ofTrace("compare", { with: other, session, with_session: withSession }));
      if (asked !== JSON.stringify(this.chosen)) return;
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
            ...sections(found, other),
          ]),
        element("p", { class: "soft" }, "In a terminal: ", element("code", {}, this.command())),
      );
    } catch (error) {
      this.result.replaceChildren(problem(error, () => this.load()));
    }
  }

  command() {
    const { other, session, withSession } = this.chosen;
    const words = [
      currentTrace().name,
      other !== state.trace && state.traces.find(({ id }) => id === other).name,
      session && `--session ${session}`,
      withSession && `--with-session ${withSession}`,
    ];
    return `tapedeck diff ${words.filter(Boolean).join(" ")}`;
  }
}

/** A choice of numbers, each with its text and title. */
function select(label, options, chosen, change) {
  const made = element(
    "select",
    { "aria-label": label, on: { change: () => change(Number(made.value)) } },
    options.map(([value, text, title]) => element("option", { value: String(value), title }, text)),
  );
  made.value = String(chosen);
  return made;
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
