/** What the server and each client held at a point in time, and where they differ. */

import { get, ofTrace } from "./api.js";
import { go, link } from "./address.js";
import { disagreements } from "./disagreements.js";
import { button, element, empty, loading, problem } from "./dom.js";
import { seconds } from "./format.js";
import { Listing } from "./listing.js";
import { sentence } from "./row-words.js";
import { bucketTables, userTables } from "./state-tables.js";
import { currentTrace, state, watch } from "./store.js";

const STEPS = "command:{c,i,e,init} or api:{commcare.restore,commcare.submit}";
const FINEST = 10_000;

export class StateView {
  constructor(place) {
    this.place = place;
    this.build();
    watch(["trace"], () => this.reset());
    watch(["at", "view"], () => {
      if (state.view === "state") this.load();
    });
    this.reset();
  }

  build() {
    this.slider = element("input", {
      type: "range",
      min: "0",
      max: String(FINEST),
      step: "1",
      "aria-label": "Time",
      on: {
        input: () => {
          this.say(this.sliderTime());
          this.loadSoon();
        },
        change: () => this.loadSoon(0),
      },
    });
    this.clock = element("output", { class: "number" });
    this.about = element("p", { class: "soft ellipsis", "aria-live": "polite" });
    this.body = element("div", { class: "page state-body", tabindex: "0", role: "region", "aria-label": "State" });
    this.history = element("div", { class: "state-history" });
    this.place.append(
      element(
        "div",
        { class: "state-head" },
        element(
          "div",
          { class: "tools" },
          button("◂ Step", () => this.step(-1), { "aria-label": "To the change before" }),
          this.slider,
          button("Step ▸", () => this.step(1), { "aria-label": "To the next change" }),
          this.clock,
          button("End", () => {
            if (state.at) go({ at: null });
            else this.load();
          }, { title: "The end of the trace, as it is now" }),
        ),
        this.about,
      ),
      this.body,
    );
  }

  reset() {
    this.steps?.close();
    this.steps = null;
    if (state.view === "state") this.load();
  }

  end() {
    return Math.max(1, currentTrace()?.end_ns ?? 1);
  }

  sliderTime() {
    return (Number(this.slider.value) / FINEST) * this.end();
  }

  say(atNs) {
    this.clock.textContent = `${seconds(atNs)} s`;
    this.slider.setAttribute("aria-valuetext", `${seconds(atNs)} seconds`);
  }

  loadSoon(wait = 120) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const isEnd = Number(this.slider.value) >= FINEST;
      go({ at: isEnd ? null : `${Number((this.sliderTime() / 1e9).toFixed(6))}s` }, { replaces: true });
    }, wait);
  }

  /** What the address means, as `tapedeck state --at` takes it. */
  at() {
    if (!state.at) return null;
    return /^\d+$/.test(state.at) ? `#${state.at}` : state.at;
  }

  async load() {
    this.asking?.abort();
    this.asking = new AbortController();
    if (!this.body.hasChildNodes()) this.body.replaceChildren(loading("Rebuilding the state…"));
    try {
      const found = await get(ofTrace("state", { at: this.at() }), this.asking.signal);
      this.draw(found);
    } catch (error) {
      if (error.name !== "AbortError") this.body.replaceChildren(problem(error, () => this.load()));
    }
  }

  draw(found) {
    const atNs = found.lines.find(({ kind }) => kind === "moment")?.at_ns ??
      (/^[\d.]+s$/.test(state.at ?? "") ? parseFloat(state.at) * 1e9 : this.end());
    this.atNs = atNs;
    if (document.activeElement !== this.slider) this.slider.value = String(Math.round((atNs / this.end()) * FINEST));
    this.say(atNs);
    if (!state.at) this.about.textContent = "at the end of the trace";
    else if (/^[a-z]?\d+$/.test(state.at)) {
      this.about.replaceChildren(
        "after ",
        element(
          "a",
          { href: link({ row: state.at }) },
          this.stepText ?? (/^\d/.test(state.at) ? `#${state.at}` : state.at),
        ),
      );
    } else this.about.textContent = "between two steps, or at one";
    const sections = [...bucketTables(found, this.history), ...userTables(found, this.history)];
    this.history.replaceChildren();
    this.body.replaceChildren(
      ...(sections.length === 0
        ? [
          empty(
            "Nothing is known at this time",
            "Neither side had sent or received an object or a case yet.",
            button("To the end", () => go({ at: null })),
          ),
        ]
        : [
          disagreements(found.differences),
          ...sections,
          this.history,
          element(
            "p",
            { class: "soft" },
            "In a terminal: ",
            element(
              "code",
              {},
              `tapedeck state ${currentTrace().name}${state.at ? ` --at ${shellWord(this.at())}` : ""}`,
            ),
          ),
        ]),
    );
  }

  /** Goes to the next change, or the one before. */
  async step(by) {
    try {
      if (!this.steps) {
        this.steps = new Listing(state.trace, STEPS, {
          changed() {/* Steps are asked for one at a time. */},
          failed: (error) => this.body.prepend(problem(error)),
        });
        await this.steps.open();
        await this.steps.complete;
      }
      const place = await this.placeOfNow();
      const next = Math.min(this.steps.count - 1, Math.max(0, by > 0 ? place + 1 : this.isOnStep ? place - 1 : place));
      const row = await this.steps.fetched(next);
      if (!row) return;
      this.stepText = sentence(row).slice(0, 120);
      go({ at: row.name });
    } catch (error) {
      this.body.prepend(problem(error));
    }
  }

  /** The place of the last step that is not after what is shown: found by halving. */
  async placeOfNow() {
    const named = state.at && /^[a-z]?\d+$/.test(state.at) ? await this.steps.place(state.at) : null;
    this.isOnStep = named != null;
    if (named != null) return named;
    let [low, high] = [-1, this.steps.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = await this.steps.fetched(middle);
      if (row && (row.ended_ns ?? row.at_ns) <= this.atNs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  show() {/* What is watched loads it. */}
}

const shellWord = (text) => (text.startsWith("#") ? `'${text}'` : text);
