/** Messages that a rule holds: each can go on as it is, be edited, answered or dropped. */

import { get, ofTrace, post } from "./api.js";
import { button, element, labelled, loading, marked, notice, problem } from "./dom.js";
import { lineForm, withoutControl } from "./faults-view.js";
import { bytes, counted, duration } from "./format.js";
import { currentTrace, setHeld, state, watch } from "./store.js";

const control = (path) => ofTrace(`control/v1/${path}`);

export class HeldView {
  constructor(place) {
    this.place = place;
    this.chosen = null;
    place.classList.add("page");
    watch(["held"], () => {
      if (state.view === "held") this.load();
    });
    watch(["trace"], () => {
      this.chosen = null;
      this.isBuilt = false;
      if (state.view === "held") this.show();
    });
  }

  show() {
    if (!currentTrace()?.can_control) {
      this.isBuilt = false;
      this.place.replaceChildren(
        element("h2", {}, "Held messages"),
        withoutControl(
          "A rule can hold requests, answers and commands of a running recording, to be edited here before they go on.",
        ),
      );
      return;
    }
    if (!this.isBuilt) this.build();
    this.load();
  }

  build() {
    this.isBuilt = true;
    this.list = element("div", {}, loading("Fetching what is held…"));
    this.editor = element("div", { class: "editor" });
    this.place.replaceChildren(
      element("h2", {}, "Held messages"),
      element("div", { class: "held" }, this.list, this.editor),
      lineForm({
        title: "Hold messages",
        label: "Filter: what is held from now on",
        placeholder: "api:commcare.submit, command:c sender:client",
        submit: "Hold",
        send: async (filter) => {
          const { name } = await post(control("rules"), { filter, action: "hold" });
          notice(`Added ${name}: remove it under Faults`);
        },
      }),
    );
  }

  async load() {
    if (!this.isBuilt) return;
    try {
      const { held } = await get(control("held"));
      setHeld(held);
      this.draw(held);
    } catch (error) {
      this.list.replaceChildren(problem(error, () => this.load()));
    }
  }

  draw(held) {
    if (held.length === 0) {
      this.list.replaceChildren(
        element("p", { class: "soft" }, "Nothing is held. What a rule with the action hold matches waits here."),
      );
      this.editor.replaceChildren();
      this.chosen = null;
      return;
    }
    const all = (verb) => async () => {
      try {
        const { count } = await post(control("held"), { do: verb });
        notice(`${counted(count, "message")}: ${verb}`);
        this.chosen = null;
        await this.load();
      } catch (error) {
        this.list.prepend(problem(error));
      }
    };
    const focused = this.list.contains(document.activeElement) && document.activeElement.dataset.id;
    this.list.replaceChildren(
      element(
        "div",
        { class: "tools" },
        element("span", {}, counted(held.length, "message")),
        button("Release all", all("release")),
        button("Drop all", all("drop")),
      ),
      element(
        "ul",
        { class: "choices" },
        held.map((message) =>
          element(
            "li",
            {},
            element(
              "button",
              {
                type: "button",
                "aria-pressed": String(message.id === this.chosen),
                data: { id: message.id },
                on: { click: () => this.edit(message.id) },
              },
              element("strong", {}, message.id),
              element("span", { class: "stretch ellipsis" }, message.summary),
              element(
                "span",
                { class: "soft" },
                `${message.kind} from the ${message.sender}, k${message.connection}, ${
                  bytes(message.size)
                }, goes on in ${duration(message.left_ms * 1e6)}`,
              ),
            ),
          )
        ),
      ),
    );
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
    if (!held.some(({ id }) => id === this.chosen)) this.edit(held[0].id);
  }

  async edit(id) {
    this.chosen = id;
    for (const each of this.list.querySelectorAll("[data-id]")) {
      each.setAttribute("aria-pressed", String(each.dataset.id === id));
    }
    let message;
    try {
      message = await get(control(`held/${id}`));
    } catch (error) {
      this.editor.replaceChildren(problem(error, () => this.load()));
      return;
    }
    if (this.chosen !== id) return;
    const isText = message.text !== undefined;
    const area = element("textarea", { rows: "14", spellcheck: "false", value: message.text ?? message.base64 ?? "" });
    const mistake = element("div", { role: "alert" });
    const decide = (verb) => async () => {
      try {
        const content = verb === "edit" || verb === "answer" ? { [isText ? "text" : "base64"]: area.value } : {};
        await post(control(`held/${id}`), { do: verb, ...content });
        notice(
          `${id}: ${
            { release: "went on", edit: "went on, edited", answer: "was answered", drop: "was dropped" }[verb]
          }`,
        );
        this.chosen = null;
        await this.load();
      } catch (error) {
        mistake.replaceChildren(
          ...[
            element("p", { class: "error" }, error.message),
            marked(error.place),
            error.hint && element("p", { class: "soft" }, error.hint),
          ].filter(Boolean),
        );
      }
    };
    this.editor.replaceChildren(
      labelled(`${id}: ${message.summary}${isText ? "" : " (its bytes, as Base64)"}`, area, { class: "stacked" }),
      mistake,
      element(
        "div",
        { class: "tools" },
        button("Release", decide("release"), { title: "It goes on as it came" }),
        button("Send edited", decide("edit"), { class: "primary", title: "The text goes on in its place" }),
        message.kind === "request" &&
          button("Answer with the text", decide("answer"), {
            title: "The sender gets the text as the response, the receiver nothing",
          }),
        button("Drop", decide("drop"), { title: "Nothing goes on" }),
      ),
    );
  }
}
