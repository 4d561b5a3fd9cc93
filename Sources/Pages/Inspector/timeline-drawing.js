/** Draws the timeline: an axis, a lane each, spans and sums of spans, marks, and what is selected. */

import { visible } from "./dom.js";
import { seconds } from "./format.js";
import { state } from "./store.js";

export const LEFT = 150;
export const RIGHT = 8;
export const TOP = 40;
const LOWEST = 28;
const HIGHEST = 132;
// From this height on a lane has labels, and says which end is whose.
const ROOMY = 44;
const levels = ["accent", "warning", "error", "client", "server"];

/** How high each of so many lanes is, where there is so much room. */
export function laneHeight(count, room) {
  return Math.max(LOWEST, Math.min(HIGHEST, Math.floor((room - TOP) / Math.max(1, count))));
}

/** The lane at a height. */
export function laneAt({ data, lane }, y) {
  return y < TOP ? null : data?.lanes[Math.floor((y - TOP) / lane)] ?? null;
}

/** The span at a place, or the nearest within some pixels. */
export function spanAt(shown, x, y) {
  const { from, to, scroller } = shown;
  const lane = laneAt(shown, y);
  if (!lane) return null;
  const scale = (scroller.clientWidth - LEFT - RIGHT) / (to - from);
  let best = null;
  let nearest = 7;
  for (const span of lane.spans) {
    const [start, end] = Array.isArray(span) ? [span[0], span[1] ?? span[0]] : [span.at_ns, span.to_ns];
    const left = LEFT + (start - from) * scale;
    const right = LEFT + (end - from) * scale;
    const far = x < left ? left - x : x > right ? x - right : 0;
    if (far < nearest) [best, nearest] = [span, far];
  }
  return best;
}

/** Draws what a timeline shows into its canvas, which becomes as wide as its place. */
export function draw(canvas, width, { data, from, to, selection, lane: high }) {
  if (width === 0) return;
  const ratio = devicePixelRatio;
  const height = TOP + data.lanes.length * high + 4;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = "11px system-ui, sans-serif";
  // Colours may differ between schemes, which a canvas does not know of.
  const probe = document.createElement("span");
  canvas.after(probe);
  const colours = {};
  const colour = (name) => {
    if (!(name in colours)) {
      probe.style.color = `var(--${name})`;
      colours[name] = getComputedStyle(probe).color;
    }
    return colours[name];
  };
  const x = (ns) => LEFT + ((ns - from) / (to - from)) * (width - LEFT - RIGHT);
  axis(pen, { from, to, x, width, height, colour });
  data.lanes.forEach((lane, index) => drawLane(pen, lane, TOP + index * high, { x, width, colour, high }));
  drawMarks(pen, data.marks, { x, width, height, colour });
  if (selection) {
    pen.fillStyle = colour("accent");
    pen.globalAlpha = 0.14;
    const [left, right] = selection.map((ns) => Math.min(width - RIGHT, Math.max(LEFT, x(ns))));
    pen.fillRect(left, 0, Math.max(1, right - left), height);
    pen.globalAlpha = 1;
    pen.fillRect(left, 0, 1, height);
    pen.fillRect(right, 0, 1, height);
  }
  probe.remove();
}

function axis(pen, { from, to, x, width, height, colour }) {
  // A 1, 2 or 5 with noughts, so that there are about eight.
  const rough = (to - from) / Math.max(2, (width - LEFT) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough);
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const left = Math.round(x(at)) + 0.5;
    pen.strokeStyle = colour("line");
    pen.beginPath();
    pen.moveTo(left, 18);
    pen.lineTo(left, height);
    pen.stroke();
    pen.fillStyle = colour("soft");
    pen.fillText(label(at, step), Math.min(left + 3, width - 44), 13);
  }
}

function label(at, step) {
  if (step < 1e3) return `${(at / 1e6).toFixed(6)} ms`;
  if (step < 1e6) return `${(at / 1e6).toFixed(3)} ms`;
  return step < 1e9 ? `${seconds(at)} s` : `${Math.round(at / 1e9)} s`;
}

function drawLane(pen, lane, top, { x, width, colour, high }) {
  pen.strokeStyle = colour("line");
  pen.beginPath();
  pen.moveTo(0, top + 0.5);
  pen.lineTo(width, top + 0.5);
  pen.stroke();
  pen.fillStyle = colour("text");
  pen.save();
  pen.beginPath();
  pen.rect(0, top, LEFT - 8, high);
  pen.clip();
  pen.fillText(visible(lane.label), 10, top + high / 2 + (lane.about ? -2 : 4));
  if (lane.about) {
    pen.fillStyle = colour("soft");
    pen.fillText(fitting(pen, lane.about, LEFT - 18), 10, top + high / 2 + 11);
  }
  if (high >= ROOMY) {
    pen.fillStyle = colour("soft");
    pen.textAlign = "end";
    pen.fillText("client ▸", LEFT - 10, top + 13);
    pen.fillText("server ▸", LEFT - 10, top + high - 5);
    pen.textAlign = "start";
  }
  pen.restore();
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, top, width - LEFT - RIGHT + 4, high);
  pen.clip();
  const most = Math.max(1, ...lane.spans.map((span) => (Array.isArray(span) ? 1 : span.count)));
  for (const span of lane.spans) {
    if (Array.isArray(span)) single(pen, span, top, { x, colour, high });
    else sum(pen, span, top, { x, colour, most, high });
  }
  if (high >= ROOMY) drawLabels(pen, lane.spans, top, { x, colour, width, high });
  pen.restore();
}

/** What rows are, beside them, where there is room up to the next one on the same height. */
function drawLabels(pen, spans, top, { x, colour, width, high }) {
  const shown = spans.filter((span) => Array.isArray(span) && span[4]).map((span) => ({ span, left: x(span[0]) }))
    .filter(({ left }) => left >= LEFT - 60 && left <= width).sort((a, b) => a.left - b.left);
  // What the client sends stands at the top, what the server does at the bottom, exchanges in the middle.
  const heights = { 3: top + 15, 4: top + high - 8 };
  const next = new Map();
  pen.fillStyle = colour("text");
  for (const { span, left } of shown.reverse()) {
    const [, ended, , level, label] = span;
    const y = heights[level] ?? top + high / 2 + 4;
    const room = (next.get(y) ?? width - RIGHT) - left - 9;
    next.set(y, left);
    // An exchange that is long enough has its label inside.
    if (heights[level] === undefined && x(ended ?? span[0]) - left > 60) continue;
    if (room < 24) continue;
    const start = heights[level] === undefined ? Math.max(left + 6, x(ended ?? span[0]) + 4) : left + 6;
    pen.fillText(fitting(pen, label, room - (start - left - 6)), start, y);
  }
}

/** A text, or as much of it as has room. */
function fitting(pen, recorded, room) {
  const text = visible(recorded);
  if (pen.measureText(text).width <= room) return text;
  // The letters of this font are about so wide.
  const part = text.slice(0, Math.max(0, Math.floor(room / 6) - 1));
  return part.length < 3 ? "" : `${part}…`;
}

/** One row: a bar for an exchange, an arrow down from the client or up from the server for a command. */
function single(pen, [at, ended, name, level, label], top, { x, colour, high }) {
  const left = x(at);
  const length = Math.max(2, x(ended ?? at) - left);
  pen.fillStyle = colour(levels[level] ?? "accent");
  if (level === 3 || level === 4) {
    // The client is above, as in a sequence diagram.
    const [tip, end] = level === 3 ? [top + high - 4, top + 5] : [top + 5, top + high - 4];
    const turn = level === 3 ? -6 : 6;
    pen.fillRect(left - 0.75, Math.min(tip, end), 1.5, Math.abs(end - tip));
    pen.beginPath();
    pen.moveTo(left, tip);
    pen.lineTo(left - 4, tip + turn);
    pen.lineTo(left + 4, tip + turn);
    pen.fill();
  } else {
    const middle = top + high / 2;
    pen.fillRect(left, middle - 7, length, 14);
    // What went wrong has a shape of its own, too.
    if (level === 1 || level === 2) pen.fillRect(left, middle - 11, Math.max(3, Math.min(length, 8)), 3);
    if (length > 60) {
      pen.fillStyle = colour("ground");
      const from = Math.max(left, LEFT);
      pen.fillText(fitting(pen, label ?? `#${name}`, left + length - from - 8), from + 4, middle + 4);
    }
  }
  if (name === state.row) {
    pen.strokeStyle = colour("text");
    pen.strokeRect(left - 4.5, top + 2.5, length + 9, high - 4);
  }
}

/** Several rows that are too close to draw each: the higher, the more; what failed at its foot. */
function sum(pen, span, top, { x, colour, most, high }) {
  const left = x(span.at_ns);
  const length = Math.max(2, x(span.to_ns) - left);
  const height = 6 + ((high - 14) * Math.log1p(span.count)) / Math.log1p(most);
  pen.fillStyle = colour("accent");
  pen.globalAlpha = 0.55;
  pen.fillRect(left, top + high - 4 - height, length, height);
  pen.globalAlpha = 1;
  if (span.errors > 0) {
    pen.fillStyle = colour("error");
    pen.fillRect(left, top + high - 7, length, 3);
  }
}

// Of each kind of mark its letter and its colour.
const signs = {
  fault: ["F", "fault"],
  edit: ["E", "fault"],
  finding: ["!", "error"],
  gap: ["G", "warning"],
  reconnection: ["↻", "accent"],
  silence: ["Z", "soft"],
  mark: ["M", "accent"],
  refused: ["R", "error"],
  "tls-failed": ["T", "error"],
  warning: ["W", "warning"],
  "session-ended": ["×", "soft"],
};

function drawMarks(pen, marks, { x, width, height, colour }) {
  let last = -Infinity;
  for (const mark of marks) {
    const left = x(mark.at_ns);
    if (left < LEFT - 1 || left > width) continue;
    const [sign, name] = signs[mark.kind] ?? ["•", "soft"];
    pen.fillStyle = colour(name);
    pen.globalAlpha = 0.35;
    pen.fillRect(left - 0.5, TOP - 6, 1, height - TOP + 6);
    pen.globalAlpha = 1;
    // Signs that would cover each other are left out; the lines stay.
    if (left - last < 11) continue;
    last = left;
    pen.beginPath();
    pen.arc(left, TOP - 13, 6, 0, 7);
    pen.fill();
    pen.fillStyle = colour("ground");
    pen.textAlign = "center";
    pen.font = "bold 10px system-ui, sans-serif";
    pen.fillText(sign, left, TOP - 9.5);
    pen.textAlign = "start";
    pen.font = "11px system-ui, sans-serif";
  }
}
