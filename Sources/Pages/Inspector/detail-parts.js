/** The parts of the detail: requests and responses, parts of submissions, times, findings, SQL. */

import { link } from "./address.js";
import { get, ofTrace } from "./api.js";
import { BodyView } from "./body-view.js";
import { button, copy, element, loading, problem, table } from "./dom.js";
import { duration, seconds } from "./format.js";
import { headTable } from "./head-view.js";

/** A request or response: its head and body. */
export function message(message, path, side, name, parts) {
  if (!message) return element("p", { class: "soft" }, `There is no ${name}.`);
  const facts = [
    message.content_type,
    message.coding && `coded as ${message.coding}`,
    message.wire_size !== message.size && `${message.wire_size} bytes on the wire`,
    message.problem,
  ];
  return [
    headTable(message.head, name),
    message.trailers && element("div", {}, element("h3", {}, "Trailers"), element("pre", {}, message.trailers)),
    element("h3", {}, "Body"),
    element("p", { class: "soft" }, facts.filter(Boolean).join(", ")),
    parts?.some((part) => part.sender === side) && element("p", { class: "soft" }, "Its parts are under Parts."),
    new BodyView(path, { side }, `Body of the ${name}`, { size: message.size }).element,
    element(
      "p",
      {},
      element("a", { href: `${path.replace(/content$/, "raw")}?side=${side}`, download: "" }, "Download as sent"),
    ),
  ];
}

/** The parts of a submission, each with its content. */
export function parts(detail, path) {
  return detail.parts.map((part) =>
    element(
      "section",
      { class: "part" },
      element("h3", {}, `${part.position}: ${part.name ?? "without a name"}`),
      element(
        "p",
        { class: "soft" },
        [part.filename && `file ${part.filename}`, part.content_type].filter(Boolean).join(", "),
      ),
      new BodyView(path, { side: part.sender, part: part.position }, `Part ${part.position}`).element,
    )
  );
}

/** When it began and ended, and how long each phase took. */
export function timing(row) {
  const end = row.ended_ns ?? row.at_ns;
  const responded = row.responded_ns ?? end;
  const phases = [["Until the response", row.at_ns, responded, "wait"], ["Response", responded, end, "receive"]];
  const all = Math.max(1, end - row.at_ns);
  const bar = ([title, from, to, kind]) => {
    const line = element("span", { class: `phase ${kind}` });
    line.style.marginLeft = `${((from - row.at_ns) / all) * 100}%`;
    line.style.width = `${((to - from) / all) * 100}%`;
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, title),
      element("td", { class: "number" }, duration(to - from)),
      element("td", { class: "phases" }, line),
    );
  };
  return [
    element(
      "dl",
      { class: "facts" },
      [
        ["Began", `${seconds(row.at_ns)} s`],
        ["Response began", row.responded_ns == null ? "never" : `${seconds(responded)} s`],
        ["Ended", row.ended_ns == null ? "not yet" : `${seconds(end)} s`],
        ["Duration", duration(end - row.at_ns)],
      ]
        .map(([title, value]) => [element("dt", {}, title), element("dd", {}, value)]),
    ),
    element("table", { class: "timing" }, element("tbody", {}, phases.map(bar))),
  ];
}

/** The findings that a row shows. */
export function findingsOf(row) {
  const place = element("div", {}, loading("Fetching…"));
  get(ofTrace("findings")).then(({ findings: all }) => {
    place.replaceChildren(
      ...all.filter(({ name }) => row.findings.includes(name)).map((finding) =>
        element(
          "article",
          { class: `finding ${finding.severity}` },
          element(
            "h3",
            {},
            element("span", { class: `badge badge-${finding.severity}` }, finding.severity),
            " ",
            finding.rule,
          ),
          element("p", {}, finding.message),
          finding.expected && element("p", { class: "soft" }, `expected: ${finding.expected}`),
          element(
            "p",
            {},
            element("a", { href: link({ view: "findings", row: row.name }) }, "All evidence, under Findings"),
          ),
        )
      ),
    );
  }, (error) => place.replaceChildren(problem(error)));
  return place;
}

/** The rows of the trace's tables behind a row. */
export function sql(name) {
  const place = element("div", {}, loading("Fetching…"));
  get(ofTrace(`rows/${encodeURIComponent(name)}/sql`)).then(({ queries }) => {
    place.replaceChildren(
      ...queries.map((query) =>
        element(
          "section",
          {},
          element("h3", {}, query.title),
          element(
            "div",
            { class: "copied" },
            element("pre", {}, query.sql),
            button("Copy", () => copy(query.sql, "the query")),
          ),
          table(query.columns, query.rows.map((cells) => cells.map((cell) => (cell == null ? "null" : String(cell)))), {
            "aria-label": query.title,
          }),
        )
      ),
    );
  }, (error) => place.replaceChildren(problem(error)));
  return place;
}
