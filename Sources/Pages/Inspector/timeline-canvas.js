/** A timeline that is drawn on a canvas: zoomed, moved, selected from and opened with pointer and keys. */

import { go } from "./address.js";
import { button, element, visible } from "./dom.js";
import { duration, seconds } from "./format.js";
import { draw, laneAt, laneHeight, LEFT, RIGHT, spanAt, TOP } from "./timeline-drawing.js";

// Nobody needs to see less than a microsecond.
export const CLOSEST = 1000;

/**
 * What is common to timelines, whoever has their rows: `data` has lanes and marks as /v1/traces/N/timeline has them. Who
 * extends it says when all `end()`s, has `fetchSoon()` fetch what is shown, and `list()`s a selection where that can be.
 */
export class TimelineCanvas {
  constructor(place) {
    Object.assign(this, { place, data: null, from: 0, to: 1, selection: null });
    this.range = element("output", { class: "number" });
    this.canvas = element("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-describedby": "timeline-keys",
    });
    this.scroller = element("div", { class: "timeline-scroller" }, this.canvas);
    this.tip = element("p", { class: "timeline-tip", "aria-live": "polite" });
    this.legend = element(
      "p",
      { class: "soft timeline-legend", id: "timeline-keys" },
      "Wheel or + − zooms, dragging or ← → moves, Shift with either selects, 0 shows all, a click opens.",
    );
    this.listen();
  }

  /** Buttons that zoom, and what is shown. */
  zoomTools() {
    return [
      button("−", () => this.zoom(1.6), { "aria-label": "Zoom out" }),
      button("+", () => this.zoom(1 / 1.6), { "aria-label": "Zoom in" }),
      button("All", () => this.zoomTo(0, this.end())),
      this.range,
    ];
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

  paint() {
    this.range.textContent = `${seconds(this.from)} – ${seconds(this.to)} s  (${duration(this.to - this.from)})`;
    this.lane = laneHeight(this.data?.lanes.length ?? 0, this.place.clientHeight * 0.6);
    if (this.data) draw(this.canvas, this.scroller.clientWidth, this);
    this.canvas.setAttribute(
      "aria-label",
      `Timeline from ${seconds(this.from)} to ${seconds(this.to)} s, ${this.data?.lanes.length ?? 0} lanes`,
    );
  }

  /** Opens what a mark is about: its row, or its connection. */
  openMark({ row, at_ns: at, connection_id: connection }) {
    const name = row ?? (connection == null ? null : `k${connection}`);
    if (name != null) go({ row: name });
    if (at < this.from || at > this.to) this.zoomTo(at - (this.to - this.from) / 2, at + (this.to - this.from) / 2);
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
      ? `${[span[2], span[4]].filter(Boolean).join("  ")} at ${seconds(span[0])} s${
        span[1] == null ? "" : `, ${duration(span[1] - span[0])}`
      }`
      : `${span.count} rows, ${span.errors} of them refused or failed`;
    const said = [at >= this.from && `${seconds(at)} s`, laneAt(this, event.offsetY)?.label, what].filter(Boolean);
    this.tip.textContent = visible(said.join("  ·  "));
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
}
