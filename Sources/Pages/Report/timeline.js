import { element, seconds, status, summary } from "./content.js";

const LANE = 28;
const TOP = 24;
const LEFT = 120;

/** A lane for each connection, with its rows as bars; the wheel zooms, dragging moves. */
export class Timeline {
  constructor(place, content, choose) {
    this.content = content;
    this.choose = choose;
    this.lanes = [...new Set(content.rows.map((row) => row.connection_id))].sort((a, b) => a - b);
    const ends = content.rows.map((row) => row.ended_ns ?? row.at_ns);
    this.all = [Math.min(0, ...content.rows.slice(0, 1).map((row) => row.at_ns)), ends.reduce((a, b) => Math.max(a, b), 1)];
    this.from = this.all[0];
    this.to = this.all[1];
    this.canvas = element("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${content.rows.length} rows on ${this.lanes.length} connections; the list has them as text`);
    this.canvas.height = TOP + this.lanes.length * LANE;
    const legend = element("p", "legend", "Wheel or + and − zoom, dragging or arrow keys move, 0 shows all, a click opens a row.");
    place.replaceChildren(legend, this.canvas);
    new ResizeObserver(() => this.draw()).observe(place);
    this.listen();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.time(event.offsetX));
    }, { passive: false });
    let start = null;
    canvas.addEventListener("pointerdown", (event) => { start = { x: event.offsetX, from: this.from, to: this.to, isMoved: false }; });
    canvas.addEventListener("pointermove", (event) => {
      if (!start || event.buttons === 0) return;
      const by = (start.x - event.offsetX) / this.scale();
      start.isMoved ||= Math.abs(start.x - event.offsetX) > 3;
      this.show(start.from + by, start.to + by);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (start && !start.isMoved) this.open(event.offsetX, event.offsetY);
      start = null;
    });
    canvas.addEventListener("keydown", (event) => {
      const span = this.to - this.from;
      const moves = {
        "+": () => this.zoom(0.8), "-": () => this.zoom(1.25), 0: () => this.show(...this.all),
        ArrowLeft: () => this.show(this.from - span / 10, this.to - span / 10),
        ArrowRight: () => this.show(this.from + span / 10, this.to + span / 10),
      };
      if (!moves[event.key]) return;
      event.preventDefault();
      moves[event.key]();
    });
  }

  scale() { return (this.canvas.width / devicePixelRatio - LEFT) / (this.to - this.from); }

  time(x) { return this.from + (x - LEFT) / this.scale(); }

  zoom(by, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * by, around + (this.to - around) * by);
  }

  show(from, to) {
    // Not closer than a microsecond, not further than all.
    if (to - from < 1e3) return;
    [this.from, this.to] = to - from > this.all[1] - this.all[0] ? this.all : [from, to];
    this.draw();
  }

  open(x, y) {
    const lane = this.lanes[Math.floor((y - TOP) / LANE)];
    const at = this.time(x);
    const near = this.content.rows.filter((row) => row.connection_id === lane)
      .map((row) => ({ row, far: at < row.at_ns ? row.at_ns - at : Math.max(0, at - (row.ended_ns ?? row.at_ns)) }))
      .sort((a, b) => a.far - b.far)[0];
    if (near && near.far * this.scale() < 8) this.choose(near.row);
  }

  draw() {
    const { canvas } = this;
    const width = canvas.parentElement.clientWidth;
    if (!width) return;
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = (TOP + this.lanes.length * LANE) * ratio;
    canvas.style.height = `${canvas.height / ratio}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    pen.font = "11px ui-monospace, monospace";
    this.axis(pen, width, colour);
    this.lanes.forEach((lane, index) => {
      pen.fillStyle = colour("soft");
      pen.fillText(`connection ${lane}`, 6, TOP + index * LANE + 17);
    });
    for (const row of this.content.rows) this.bar(pen, row, width, colour);
  }

  axis(pen, width, colour) {
    // A 1, 2 or 5 with noughts, so that there are about eight.
    const rough = (this.to - this.from) / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough);
    pen.strokeStyle = colour("line");
    pen.fillStyle = colour("soft");
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = LEFT + (at - this.from) * this.scale();
      pen.beginPath();
      pen.moveTo(x, TOP - 6);
      pen.lineTo(x, TOP + this.lanes.length * LANE);
      pen.stroke();
      pen.fillText(`${seconds(at)} s`, x + 3, 14);
    }
  }

  bar(pen, row, width, colour) {
    const start = LEFT + (row.at_ns - this.from) * this.scale();
    const end = LEFT + ((row.ended_ns ?? row.at_ns) - this.from) * this.scale();
    if (end < LEFT || start > width) return;
    const y = TOP + this.lanes.indexOf(row.connection_id) * LANE;
    const { level } = status(row);
    pen.fillStyle = colour(level || "accent");
    const left = Math.max(LEFT, start);
    if (row.kind === "exchange") {
      pen.fillRect(left, y + 6, Math.max(2, end - left), 14);
      if (end - left > 80) {
        pen.fillStyle = colour("ground");
        pen.fillText(summary(row).slice(0, Math.floor((end - left) / 7)), left + 3, y + 17);
      }
    } else {
      // Up is from the client, down from the server.
      pen.beginPath();
      const tip = row.sender === "client" ? y + 4 : y + 22;
      pen.moveTo(left, tip);
      pen.lineTo(left - 4, y + 13);
      pen.lineTo(left + 4, y + 13);
      pen.fill();
    }
    if ((row.marks ?? []).length > 0) {
      pen.strokeStyle = colour("error");
      pen.strokeRect(left - 3, y + 3, Math.max(8, end - left + 6), 20);
    }
  }
}
