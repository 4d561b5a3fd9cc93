/** The session over time: a lane for each connection, client or bucket; the server sums up what falls on one pixel. */

import { get, ofTrace } from "./api.js";
import { go } from "./address.js";
import { button, element, empty, loading, problem } from "./dom.js";
import { narrowed } from "./completion.js";
import { duration, seconds } from "./format.js";
import { currentTrace, state, watch } from "./store.js";
import { draw, laneAt, laneHeight, LEFT, RIGHT, spanAt, TOP } from "./timeline-drawing.js";

// Nobody needs to see less than a microsecond.
const CLOSEST = 1000;

export class TimelineView {
  constructor(place) {
    this.place = place;
    this.by = "connection";
    this.data = null;
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
    this.range = element("output", { class: "number" });
    this.filtered = button("", () => go({ filter: "" }), {
      class: "chip",
      title: "Show all rows",
      "aria-pressed": "true",
    });
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
    this.canvas = element("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-describedby": "timeline-keys",
    });
    this.scroller = element("div", { class: "timeline-scroller" }, this.canvas);
    this.tip = element("p", { class: "timeline-tip", "aria-live": "polite" });
    this.marks = element("div", { class: "timeline-marks" });
    this.message = element("div");
    this.place.append(
      element(
        "div",
        { class: "tools timeline-tools" },
        this.lanes,
        button("−", () => this.zoom(1.6), { "aria-label": "Zoom out" }),
        button("+", () => this.zoom(1 / 1.6), { "aria-label": "Zoom in" }),
        button("All", () => this.zoomTo(0, this.end())),
        this.range,
        this.filtered,
        element("span", { class: "stretch" }),
        this.use,
      ),
      element(
        "p",
        { class: "soft timeline-legend", id: "timeline-keys" },
        "Wheel or + − zooms, dragging or ← → moves, Shift with either selects, 0 shows all, a click opens.",
      ),
      this.message,
      this.scroller,
      this.tip,
      this.marks,
    );
    this.listen();
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

  width() {
    return Math.max(50, this.scroller.clientWidth - LEFT - RIGHT);
  }

  timeAt(x) {
    return this.from + ((x - LEFT) / this.width()) * (this.to - this.from);
  }

  zoomTo(from, to) {
    const length = Math.min(Math.max(to - from, CLOSEST), this.end());
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(0, middle - length / 2), this.end() - length);
    this.to = this.from + length;
    this.paint();
    this.fetchSoon();
  }

  zoom(by, around = (this.from + this.to) / 2) {
    this.zoomTo(around - (around - this.from) * by, around + (this.to - around) * by);
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
    this.range.textContent = `${seconds(this.from)} – ${seconds(this.to)} s  (${duration(this.to - this.from)})`;
    this.use.disabled = this.selection == null;
    this.filtered.hidden = state.filter === "";
    this.filtered.textContent = `${state.filter} ×`;
    this.lane = laneHeight(this.data?.lanes.length ?? 0, this.place.clientHeight * 0.6);
    if (this.data) draw(this.canvas, this.scroller.clientWidth, this);
    this.canvas.setAttribute(
      "aria-label",
      `Timeline from ${seconds(this.from)} to ${seconds(this.to)} s, ${this.data?.lanes.length ?? 0} lanes`,
    );
  }

  /** The marks as buttons, for those who do not see the drawing. */
  listMarks() {
    const marks = this.data.marks.slice(0, 40);
    this.marks.replaceChildren(
      ...marks.map((mark) =>
        button(`${mark.kind} ${seconds(mark.at_ns)} s: ${mark.text}`, () => this.openMark(mark), {
          class: `mark-button ${mark.kind}`,
        })
      ),
      this.data.marks.length > marks.length
        ? element("span", { class: "soft" }, `and ${this.data.marks.length - marks.length} more: zoom in`)
        : "",
    );
  }

  /** Opens what a mark is about: its row, or its connection. */
  openMark({ row, at_ns: at, connection_id: connection }) {
    const name = row ?? (connection == null ? null : `k${connection}`);
    if (name != null) go({ row: name });
    if (at < this.from || at > this.to) this.zoomTo(at - (this.to - this.from) / 2, at + (this.to - this.from) / 2);
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

  select(from, to) {
    const [first, last] = from < to ? [from, to] : [to, from];
    this.selection = [Math.max(0, first), Math.min(this.end(), last)];
    this.tip.textContent = `selected ${seconds(this.selection[0])} to ${seconds(this.selection[1])} s, ${
      duration(last - first)
    }`;
    this.paint();
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = ((event.deltaX || event.deltaY) / this.width()) * (this.to - this.from);
        this.zoomTo(this.from + by, this.to + by);
      } else this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
      event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.offsetX, from: this.from, to: this.to, selects: event.shiftKey, isMoved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        this.point(event);
        return;
      }
      drag.isMoved ||= Math.abs(event.offsetX - drag.x) > 3;
      if (!drag.isMoved) return;
      if (drag.selects) this.select(this.timeAt(drag.x), this.timeAt(event.offsetX));
      else {
        const by = ((drag.x - event.offsetX) / this.width()) * (drag.to - drag.from);
        this.zoomTo(drag.from + by, drag.to + by);
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.isMoved) this.open(event);
      drag = null;
    });
    canvas.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (this.to - this.from) / 10;
    const select = (by) =>
      this.select(
        this.selection?.[0] ?? (this.from + this.to) / 2,
        (this.selection?.[1] ?? (this.from + this.to) / 2) + by,
      );
    const move = (by) => (event.shiftKey ? select(by) : this.zoomTo(this.from + by, this.to + by));
    const actions = {
      "+": () => this.zoom(1 / 1.6),
      "=": () => this.zoom(1 / 1.6),
      "-": () => this.zoom(1.6),
      0: () => this.zoomTo(0, this.end()),
      ArrowLeft: () => move(-step),
      ArrowRight: () => move(step),
      Enter: () => this.selection && this.list(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  point(event) {
    const span = this.spanAt(event);
    this.canvas.style.cursor = span ? "pointer" : "grab";
    const at = this.timeAt(event.offsetX);
    const what = span == null
      ? ""
      : Array.isArray(span)
      ? `${span[2]} at ${seconds(span[0])} s`
      : `${span.count} rows, ${span.errors} of them refused or failed`;
    this.tip.textContent = [at >= this.from && `${seconds(at)} s`, laneAt(this, event.offsetY)?.label, what].filter(
      Boolean,
    ).join("  ·  ");
  }

  spanAt(event) {
    return spanAt(this, event.offsetX, event.offsetY);
  }

  open(event) {
    const mark = event.offsetY < TOP &&
      this.data?.marks.find(({ at_ns: at }) =>
        Math.abs(((at - this.from) / (this.to - this.from)) * this.width() + LEFT - event.offsetX) < 6
      );
    if (mark) {
      this.openMark(mark);
      return;
    }
    const span = this.spanAt(event);
    if (!span) return;
    if (Array.isArray(span)) {
      go({ row: span[2] });
      return;
    }
    const room = Math.max(span.to_ns - span.at_ns, CLOSEST) * 0.5;
    this.zoomTo(span.at_ns - room, span.to_ns + room);
  }

  show() {
    this.fetchSoon();
  }
}
