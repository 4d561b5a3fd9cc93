/** Playing a side of this trace again: the commands, and a server that can be started here. */

import { get, ofTrace, post, remove } from "./api.js";
import { button, copy, element, loading, problem } from "./dom.js";
import { currentTrace, state, watch } from "./store.js";

export class ReplayView {
  constructor(place) {
    this.place = place;
    place.classList.add("page");
    watch(["trace"], () => {
      if (state.view === "replay") this.show();
    });
  }

  async show() {
    if (!this.place.hasChildNodes()) this.place.replaceChildren(loading("Asking…"));
    try {
      this.draw(await get(ofTrace("replay")));
    } catch (error) {
      this.place.replaceChildren(problem(error, () => this.show()));
    }
  }

  draw({ is_running: isRunning, address, commands }) {
    const act = (action) => async () => {
      try {
        this.draw(await action() ?? await get(ofTrace("replay")));
      } catch (error) {
        this.place.prepend(problem(error));
      }
    };
    const trace = currentTrace();
    this.place.replaceChildren(
      element("h2", {}, "Replay"),
      element(
        "p",
        {},
        "A replay server answers a client as the server of this trace did. It changes identifiers and times " +
          "where the protocol asks for it.",
      ),
      element(
        "div",
        { class: "tools card" },
        element(
          "span",
          { class: isRunning ? "good" : "soft", role: "status" },
          isRunning ? `● Running at ${address}` : "Not running",
        ),
        isRunning && button("Copy address", () => copy(address, "the address")),
        element("span", { class: "stretch" }),
        isRunning
          ? button("Stop", act(() => remove(ofTrace("replay"))))
          : button("Start a replay server", act(() => post(ofTrace("replay"))), {
            class: "primary",
            disabled: trace?.is_read_only,
            title: trace?.is_read_only ? "The inspector was started with --read-only" : "",
          }),
      ),
      element("h3", {}, "In a terminal"),
      ...commands.map((command) =>
        element(
          "div",
          { class: "copied" },
          element("pre", {}, command),
          button("Copy", () => copy(command, "the command")),
        )
      ),
    );
  }
}
