/** The fault rules of a running recording: their counts, pausing and resuming, new ones, actions fired once, marks. */

import { get, ofTrace, post, remove } from "./api.js";
import { button, element, empty, labelled, loading, marked, notice, problem, table } from "./dom.js";
import { narrow } from "./filter-bar.js";
import { seconds } from "./format.js";
import { currentTrace, state, watch } from "./store.js";

const examples = [
  ["Refuse", "api:commcare.restore => 503 retry-after=30 first=3"],
  ["Reject a change", "command:c sender:client => error 440 nth=2"],
  ["Lose an answer", "api:commcare.submit => lose-answer nth=1"],
  ["Slow down", "=> latency 300ms jitter=50ms"],
  ["Hold", "kind:exchange => hold"],
];
const control = (path, query) => ofTrace(`control/v1/${path}`, query);

/** What is shown where a trace is not being recorded. */
export function withoutControl(what) {
  const trace = currentTrace();
  return empty(
    trace?.is_live ? `The recording of ${trace.name} has no control interface` : "This trace is not being recorded",
    what,
    element("pre", {}, `tapedeck record ${trace?.name ?? "app.tape"}\ntapedeck inspect ${trace?.name ?? "app.tape"}`),
  );
}

export class FaultsView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => {
      this.isBuilt = false;
      if (state.view === "faults") this.show();
    });
    // Counts change while traffic runs; the end of the trace is announced with each change of it.
    watch(["traces"], () => {
      if (state.view === "faults" && this.isBuilt) this.loadSoon();
    });
  }

  show() {
    if (!currentTrace()?.can_control) {
      this.isBuilt = false;
      this.place.replaceChildren(
        element("h2", {}, "Faults"),
        withoutControl(
          "Rules can be added while traffic is recorded. Faults that were applied are marked in the list:",
        ),
        element(
          "div",
          { class: "tools centred" },
          button("Rows with a fault", () => narrow("fault:*")),
          button("Not recovered", () => narrow("fault:* not verdict:recovered")),
        ),
      );
      return;
    }
    if (!this.isBuilt) this.build();
    this.load();
  }

  build() {
    this.isBuilt = true;
    this.rules = element("div", {}, loading("Fetching the rules…"));
    this.place.replaceChildren(
      element("h2", {}, "Fault rules"),
      this.rules,
      this.adding(),
      this.firing(),
      this.marking(),
    );
  }

  loadSoon() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (state.view === "faults") this.load();
    }, 500);
  }

  async load() {
    try {
      const { rules } = await get(control("rules"));
      if (this.rules.contains(document.activeElement)) this.focused = document.activeElement.dataset.action;
      this.rules.replaceChildren(
        rules.length === 0
          ? element("p", { class: "soft" }, "No rule yet. Traffic passes unchanged.")
          : this.tableOf(rules),
      );
      if (this.focused) this.rules.querySelector(`[data-action="${CSS.escape(this.focused)}"]`)?.focus();
      this.focused = null;
    } catch (error) {
      this.rules.replaceChildren(problem(error, () => this.load()));
    }
  }

  tableOf(rules) {
    const act = (action) => async () => {
      try {
        await action();
        await this.load();
      } catch (error) {
        this.rules.prepend(problem(error));
      }
    };
    return table(
      ["Rule", "Filter", "Action", "Schedule", "Matched", "Fired", "Failed", "State", ""],
      rules.map((rule) => {
        const path = (verb = "") => control(`rules/${encodeURIComponent(rule.name)}${verb}`);
        const isPaused = rule.state === "paused";
        return [
          element("strong", {}, rule.name),
          element("code", {}, rule.filter || "everything"),
          element("code", {}, rule.action),
          `${rule.schedule}${rule.per === "overall" ? "" : `, per ${rule.per}`}`,
          element("span", { class: "number" }, String(rule.matched)),
          element("span", { class: "number" }, String(rule.fired)),
          element("span", { class: rule.failed > 0 ? "error" : "soft" }, String(rule.failed)),
          element("span", { class: isPaused ? "warning" : "good" }, rule.state),
          element(
            "span",
            { class: "tools" },
            button(isPaused ? "Resume" : "Pause", act(() => post(path(isPaused ? "/resume" : "/pause"))), {
              data: { action: `pause ${rule.name}` },
              "aria-label": `${isPaused ? "Resume" : "Pause"} ${rule.name}`,
            }),
            button("Reset", act(() => post(path("/reset"))), {
              data: { action: `reset ${rule.name}` },
              title: "Counters to 0",
              "aria-label": `Reset ${rule.name}`,
            }),
            button("Remove", act(() => remove(path())), {
              data: { action: `remove ${rule.name}` },
              "aria-label": `Remove ${rule.name}`,
            }),
            button("Rows", () => narrow(`fault:${rule.name}`), { "aria-label": `Rows with ${rule.name}` }),
          ),
        ];
      }),
      { "aria-label": "Fault rules" },
    );
  }

  adding() {
    const line = lineForm({
      title: "Add a rule",
      label: "FILTER => ACTION key=value …",
      placeholder: "api:commcare.restore => 503 retry-after=30 first=3",
      submit: "Add",
      send: async (rule) => {
        const added = await post(control("rules"), { rule });
        notice(`Added ${added.name}`);
        await this.load();
      },
    });
    line.append(element(
      "div",
      { class: "chips" },
      examples.map(([name, rule]) =>
        button(name, () => {
          const input = line.querySelector("input");
          input.value = rule;
          input.focus();
        }, { class: "chip", title: rule })
      ),
    ));
    return line;
  }

  firing() {
    const select = element("select", {}, element("option", { value: "" }, "all that it applies to"));
    get(control("connections")).then(
      ({ connections }) =>
        select.append(
          ...connections.map(({ id, client }) => element("option", { value: String(id) }, `k${id} of ${client}`)),
        ),
      () => {/* All stays. */},
    );
    const form = lineForm({
      title: "Fire an action once",
      label: "Action, as after the arrow of a rule",
      placeholder: 'close-code 1012 reason="service restart"',
      submit: "Fire",
      more: labelled("on", select),
      send: async (action) => {
        const { connections } = await post(control("fire"), {
          action,
          ...(select.value ? { connection: Number(select.value) } : {}),
        });
        notice(`Fired on ${connections.map((id) => `k${id}`).join(", ") || "no connection"}`);
      },
    });
    return form;
  }

  marking() {
    const list = element("p", { class: "soft" });
    const load = async () => {
      const { marks } = await get(control("marks"));
      list.textContent = marks.map(({ name, at_ns: at }) => `${name} at ${seconds(at)} s`).join(", ");
    };
    load().catch(() => {/* There are none, then. */});
    const form = lineForm({
      title: "Set a mark",
      label: "Name; rules can wait for it",
      placeholder: "sync starts",
      submit: "Set",
      send: async (name) => {
        await post(control("marks"), { name });
        await load();
      },
    });
    form.append(list);
    return form;
  }
}

/** A form of one line, with the mistake marked below it when it was refused. */
export function lineForm({ title, label, placeholder, submit, send, more }) {
  const mistake = element("div", { role: "alert" });
  const input = element("input", {
    type: "text",
    placeholder,
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    class: "code wide",
    on: {
      input: () => {
        mistake.replaceChildren();
        input.removeAttribute("aria-invalid");
      },
    },
  });
  const form = element(
    "form",
    { class: "line-form" },
    element("h3", {}, title),
    element(
      "div",
      { class: "tools" },
      labelled(label, input, { class: "stacked" }),
      more,
      element("button", { type: "submit", class: "primary" }, submit),
    ),
    mistake,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    mistake.replaceChildren();
    try {
      await send(input.value);
      input.value = "";
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      mistake.replaceChildren(
        ...[
          element("p", { class: "error" }, error.message),
          marked(error.place),
          error.hint && element("p", { class: "soft" }, error.hint),
        ].filter(Boolean),
      );
    }
  });
  return form;
}
