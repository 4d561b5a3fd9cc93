/** A lane for each connection of a report, with its rows. */

import { element } from "./dom.js";
import { status, subject, verb } from "./row-words.js";
import { watch } from "./store.js";
import { CLOSEST, TimelineCanvas } from "./timeline-canvas.js";

// So many rows are drawn one by one; more become sums.
const MOST = 5000;
const kinds = { error: "finding", warning: "finding", info: "finding", fault: "fault", edit: "edit", gap: "gap" };

export class Timeline extends TimelineCanvas {
  /** `listed` is called with a stretch that was selected. */
  constructor(place, content, listed) {
    super(place);
    this.listed = listed;
    this.rows = content.rows;
    this.last = this.rows.reduce((last, row) => Math.max(last, row.ended_ns ?? row.at_ns), CLOSEST);
    this.to = this.end();
    place.append(
      element("div", { class: "tools timeline-tools" }, this.zoomTools()),
      this.legend,
      this.scroller,
      this.tip,
    );
    new ResizeObserver(() => this.fetchSoon()).observe(this.scroller);
    watch(["row"], () => this.paint());
  }

  end() {
    return this.last + 1;
  }

  fetchSoon() {
    this.data = laneData(this.rows, this.from, this.to, Math.max(1, this.width()));
    this.paint();
  }

  list() {
    this.listed(this.selection);
  }

  show() {
    this.fetchSoon();
  }
}

/** What is drawn of a stretch, as the inspector's server has it. */
function laneData(rows, from, to, width) {
  const inside = rows.filter((row) => row.at_ns <= to && (row.ended_ns ?? row.at_ns) >= from);
  const pixel = Math.max(1, (to - from) / width);
  const lanes = new Map();
  for (const row of inside) {
    const lane = lanes.get(row.connection_id) ??
      { id: `k${row.connection_id}`, label: `connection ${row.connection_id}`, spans: [], sums: new Map() };
    lanes.set(row.connection_id, lane);
    if (inside.length <= MOST) {
      lane.spans.push([row.at_ns, row.ended_ns, row.name, levelOf(row), `${verb(row)} ${subject(row)[0]}`]);
      continue;
    }
    const start = from + Math.floor(Math.max(0, row.at_ns - from) / pixel) * pixel;
    const sum = lane.sums.get(start) ?? { at_ns: start, to_ns: start + pixel, count: 0, errors: 0 };
    sum.count += 1;
    sum.errors += levelOf(row) === 2 ? 1 : 0;
    lane.sums.set(start, sum);
  }
  const marks = inside.flatMap((row) =>
    (row.marks ?? []).map((mark) => mark.split(" ")).filter(([kind]) => kinds[kind]).map(([kind, ...name]) => ({
      at_ns: row.at_ns,
      kind: kinds[kind],
      text: name.join(" "),
      connection_id: row.connection_id,
      row: row.name,
    }))
  );
  for (const lane of lanes.values()) lane.spans.push(...lane.sums.values());
  return { lanes: [...lanes.entries()].sort(([a], [b]) => a - b).map(([, lane]) => lane), marks };
}

/** How a row is drawn: 0 good, 1 warning, 2 bad, 3 from the client, 4 from the server. */
function levelOf(row) {
  const { level } = status(row);
  if (level === "error") return 2;
  if (row.kind !== "exchange") return row.sender === "client" ? 3 : 4;
  return level === "warning" ? 1 : 0;
}
