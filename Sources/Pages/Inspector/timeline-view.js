/** The session over time: a lane for each connection, client or bucket; the server sums up what falls on one pixel. */

import { get, ofTrace } from "./api.js";
import { go } from "./address.js";
import { button, element, empty, loading, problem } from "./dom.js";
import { narrowed } from "./completion.js";
import { FilterBar } from "./filter-bar.js";
import { seconds } from "./format.js";
import { currentTrace, state, watch } from "./store.js";
import { CLOSEST, TimelineCanvas } from "./timeline-canvas.js";

export class TimelineView extends TimelineCanvas {
  constructor(place) {
    super(place);
    this.by = "connection";
    this.build();
    watch(["trace"], () => this.reset());
    watch(["filter"], () => this.fetchSoon());
    watch(["row"], () => this.paint());
    watch(["traces"], () => this.extend());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    new ResizeObserver(() => {
      if (this.scroller.clientWidth > 0) this.fetchSoon();
    }).observe(this.scroller);
    this.reset();
  }

  build() {
    this.lanes = element("select", {
      "aria-label": "A lane for each",
      on: {
        change: (event) => {
          this.by = event.target.value;
          this.fetchSoon();
        },
      },
    }, ["connection", "client", "bucket"].map((name) => element("option", { value: name }, `By ${name}`)));
    this.use = button("List the selection", () => this.list(), { disabled: true, class: "primary" });
    this.marks = element("div", { class: "timeline-marks" });
    this.message = element("div");
    const bar = element("div", { class: "filter-bar", role: "search" });
    this.filterBar = new FilterBar(bar, () => this.canvas.focus(), {
      name: "timeline-",
      label: "Filter of the timeline",
    });
    this.place.append(
      bar,
      element(
        "div",
        { class: "tools timeline-tools" },
        this.lanes,
        this.zoomTools(),
        element("span", { class: "stretch" }),
        this.use,
      ),
      this.legend,
      this.message,
      this.scroller,
      this.tip,
      this.marks,
    );
  }

  reset() {
    this.selection = null;
    this.data = null;
    this.from = 0;
    this.known = this.end();
    this.to = this.known;
    this.paint();
    this.fetchSoon();
  }

  /** Shows all of a trace that grows as long as all of it was shown. */
  extend() {
    if (this.end() === this.known) return;
    const wasAll = this.from === 0 && this.to === this.known;
    this.known = this.end();
    if (wasAll) this.zoomTo(0, this.known);
  }

  end() {
    return Math.max(currentTrace()?.end_ns ?? 0, CLOSEST);
  }

  fetchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetch(), 60);
  }

  async fetch() {
    if (state.view !== "timeline" || !currentTrace() || this.scroller.clientWidth === 0) return;
    this.asking?.abort();
    this.asking = new AbortController();
    if (!this.data) this.message.replaceChildren(loading("Reading all rows…"));
    try {
      this.data = await get(
        ofTrace("timeline", {
          from_ns: Math.floor(this.from),
          to_ns: Math.ceil(this.to),
          width: Math.round(this.width()),
          by: this.by,
          filter: state.filter,
        }),
        this.asking.signal,
      );
      this.message.replaceChildren();
      if (this.data.lanes_left_out > 0) {
        this.message.replaceChildren(
          element(
            "p",
            { class: "soft timeline-legend" },
            `${this.data.lanes_left_out} more lanes are left out: group by client, or zoom in.`,
          ),
        );
      }
      if (this.data.lanes.length === 0) {
        this.message.replaceChildren(empty(
          "Nothing happens here",
          state.filter ? button("Show all rows", () => go({ filter: "" })) : "This trace has no rows.",
        ));
      }
      this.paint();
      this.listMarks();
    } catch (error) {
      if (error.name !== "AbortError") this.message.replaceChildren(problem(error, () => this.fetch()));
    }
  }

  paint() {
    super.paint();
    this.use.disabled = this.selection == null;
  }

  /** The marks as buttons, for those who do not see the drawing. */
  listMarks() {
    const marks = this.data.marks.slice(0, 40);
    this.marks.replaceChildren(
      ...marks.map((mark) =>
        button(`${mark.kind} ${seconds(mark.at_ns)} s: ${mark.text}`, () => this.openMark(mark), {
          class: `mark-button mark-${mark.kind}`,
        })
      ),
      this.data.marks.length > marks.length
        ? element("span", { class: "soft" }, `and ${this.data.marks.length - marks.length} more: zoom in`)
        : "",
    );
  }

  /** Lists the rows of the selection. */
  list() {
    const [from, to] = this.selection;
    const { sessions } = currentTrace();
    const session = sessions.findLast(({ start_ns: start }) => start <= from) ?? sessions[0];
    const at = (ns) => `${Number(Math.max(0, (ns - (session?.start_ns ?? 0)) / 1e9).toFixed(6))}s`;
    const which = sessions.length > 1 ? `session:${session.id} ` : "";
    const before = state.filter.replace(/(^|\s)(session:\d+ )?at:\S+\.\.\S+/, "").trim();
    go({ view: "list", row: null, filter: narrowed(before, `${which}at:${at(from)}..${at(to)}`) });
  }

  show() {
    this.fetchSoon();
  }
}
